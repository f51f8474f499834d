import MoorageCore

/// How an answer breaks the protocol. Each is a part of the sentence of `protocolViolation`.
enum ProtocolReason {
    // The course of an exchange.
    static let secondWelcome = "a second welcome came"
    static let outcomesOutOfPlace = "outcomes came where none belong"
    static let outcomesOfAnotherBatch = "outcomes came for another batch"
    static let outcomesDoNotFit = "the outcomes do not fit the batch"
    static let pageOutOfPlace = "a page came where none belongs"
    static let aliveOutOfPlace = "a sign of life came for an answer that is no live stream"
    static let endBeforeWelcome = "the answer ended before it began"
    static let outcomesWithoutPage = "outcomes came without a page"
    static let batchNotAnswered = "the batch was not answered"
    static let frameOutOfPlace = "a frame came where none belongs"

    // The course of a sync.
    static let noSchema = "the hub's schema came, and is not here"
    static let unaskedAnswer = "an answer came to no question"
    static let refusesAgain = "the hub refuses again and again"
    static let notALiveStream = "a sync is not a live stream"
    static let unexpectedEvent = "an event came that nobody waits for"

    // Rows.
    static func noKeyColumn(_ table: Identifier) -> String {
        "a page of \(table) lacks a key column"
    }
    static func noKey(_ table: Identifier) -> String { "a row of \(table) has no key" }
    static func otherColumns(_ table: Identifier) -> String {
        "a compared row of \(table) has other columns"
    }
    static let endlessComparison = "a comparison does not go on"
}
