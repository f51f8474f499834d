import MoorageCore
import MoorageHub

/// What the hub says of an error of the server's. The words of a refusal have no final stop,
/// because the names in the error follow them.
extension ServerError {
    /// The error as the hub sees it.
    var central: CentralError {
        switch state {
        case "23514", "44000": refused(.check, RefusalWords.check)
        case "23505": refused(.unique, RefusalWords.unique)
        case "23P01": refused(.unique, "Another row excludes these values")
        case "23503": refused(.foreignKey, RefusalWords.foreignKey)
        case "23502": refused(.notNull, RefusalWords.notNull)
        case "22001": refused(.type, "A text is too long for its column")
        case "22003": refused(.type, "A number is out of its column's range")
        case "22007", "22008": refused(.type, "A date or time does not exist, or is out of range")
        case "22P02", "22032", "2200N": refused(.type, "A value is not of its column's type")
        // Types of extensions (hstore, PostGIS) report this for a text that they cannot read.
        case "XX000" where !isOfCatalog && function == nil:
            refused(.type, "A value is not of its column's type")
        // A server reports this for a value in a form that its type does not have. A pooler reports
        // it for its own errors, and closes the connection.
        case "08P01" where !isFatal: refused(.type, "A value is not of its column's type")
        case "428C9": refused(.type, "A generated column cannot be written")
        case "42501":
            refused(.permission, "The hub's role lacks a right, or a row policy forbids this")
        case "54000": refused(.tooLarge, "A value is too large for an index or a row")
        case "22021", "22P05":
            refused(.notRepresentable, "The central database cannot store a character of a value")
        case "40001", "40P01", "55P03", "57014": CentralError.otherTransactionInTheWay(state)
        case "0A000" where function == nil: CentralError.shapeChanged(state)
        case "25006": CentralError.noWrites(state)
        default: byClass
        }
    }

    private var byClass: CentralError {
        let group = state.prefix(2)
        // Other programs' code may give its errors any state. If the session continues, so does the
        // connection.
        let isLost = (group == "08" || state.hasPrefix("57P0")) && (isFatal || function == nil)
        if isLost || group == "53" { return CentralError.cannotWork(state) }
        if group == "22" { return refused(.type, RefusalWords.misfit) }
        if group == "23" { return refused(.check, "A constraint forbids the row") }
        if group == "P0" { return refused(.trigger, RefusalWords.triggerRefused) }
        if let function, !function.hasPrefix("moorage_") {
            return refused(.trigger, RefusalWords.triggerFailed)
        }
        // A file of the server's cannot be read or written.
        if group == "58" { return CentralError.cannotWork(state) }
        return CentralError.statementRefused(state)
    }

    private func refused(_ code: Refusal.Code, _ words: String) -> CentralError {
        var message = words
        if let constraint { message += ", constraint \(constraint)" }
        if let domain { message += ", domain \(domain)" }
        if let column { message += ", column \(column)" }
        if let table { message += ", table \(table)" }
        if let function, code == .trigger { message += ", function \(function)" }
        message += " (\(state))."
        let told = raised.map { "\($0) – \(message)" } ?? message
        return CentralError(.refused(Refusal(code: code, message: told)), message)
    }
}

extension CentralError {
    /// The role may not do it.
    var isPermission: Bool {
        if case .refused(let refusal) = kind { refusal.code == .permission } else { false }
    }
}
