#if Server
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageWire

    /// Why a change waits, for people and for programs.
    enum ReasonWords {
        static func text(_ reasons: [PendingReason]) -> String {
            all(reasons).joined(separator: "; ")
        }

        /// At least one: only a table that the app took out of its list has none.
        static func all(_ reasons: [PendingReason]) -> [String] {
            reasons.isEmpty
                ? ["the app took the table out of its list, so nothing of it is sent"]
                : reasons.map(text)
        }

        static func text(_ reason: PendingReason) -> String {
            switch reason {
            case .sent(let batch, let time):
                "sent with batch \(batch) at \(ReplicaReport.time(time)), and not answered yet"
            case .unsendable(.type):
                "its key has another form than the file's keys (type): write it in their form"
            case .unsendable(let code):
                "this device does not send it as it is (\(code.rawValue)): correct the row"
            case .tableSuspended(let code): "its table is suspended (\(code))"
            case .needsRow(let table, let key?, let code):
                "it needs the row \(table) \(key.values.jsonText()), which waits (\(code))"
            case .needsRow(let table, nil, let code):
                "a row of \(table) referred to it, and changes of \(table) wait (\(code))"
            case .groupNeedsTable(let table, let code):
                "its group has a row of \(table), which is suspended (\(code))"
            case .notAllowed: "the user may not make this change, so the hub will refuse it"
            case .hubUnknown: "the replica has not met its hub yet"
            case .offline(let since, let code):
                "no contact with the hub since \(ReplicaReport.time(since)) (\(code))"
            case .signedOut(let since):
                "the user has to sign in again, since \(ReplicaReport.time(since)) (unauthorized)"
            case .updateRequired(let since):
                "the hub wants a newer version of the app, since \(ReplicaReport.time(since))"
            case .failing(let since, let code):
                "exchanges fail since \(ReplicaReport.time(since)) (\(code))"
            case .behindBatch(let batch): "batch \(batch) is answered first"
            case .nextExchange: "nothing prevents it: it goes with the next exchange"
            }
        }

        /// An object with the member `reason`, and what belongs to it.
        static func write(_ reason: PendingReason, to writer: inout JSONWriter) {
            writer.object { object in
                switch reason {
                case .sent(let batch, let time):
                    object.member("reason", "sent")
                    object.member("batch", batch)
                    object.member("at", ReplicaReport.milliseconds(time))
                case .unsendable(let code):
                    object.member("reason", "unsendable")
                    object.member("code", code.rawValue)
                case .tableSuspended(let code):
                    object.member("reason", "tableSuspended")
                    object.member("code", code)
                case .needsRow(let table, let key, let code):
                    object.member("reason", "needsRow")
                    object.member("table", table)
                    object.member("key", document: key?.values.jsonText())
                    object.member("code", code)
                case .groupNeedsTable(let table, let code):
                    object.member("reason", "groupNeedsTable")
                    object.member("table", table)
                    object.member("code", code)
                case .notAllowed: object.member("reason", "notAllowed")
                case .hubUnknown: object.member("reason", "hubUnknown")
                case .offline(let since, let code):
                    object.member("reason", "offline")
                    object.member("since", ReplicaReport.milliseconds(since))
                    object.member("code", code)
                case .signedOut(let since):
                    object.member("reason", "signedOut")
                    object.member("since", ReplicaReport.milliseconds(since))
                case .updateRequired(let since):
                    object.member("reason", "updateRequired")
                    object.member("since", ReplicaReport.milliseconds(since))
                case .failing(let since, let code):
                    object.member("reason", "failing")
                    object.member("since", ReplicaReport.milliseconds(since))
                    object.member("code", code)
                case .behindBatch(let batch):
                    object.member("reason", "behindBatch")
                    object.member("batch", batch)
                case .nextExchange: object.member("reason", "nextExchange")
                }
            }
        }
    }
#endif
