import MoorageHub

/// What the server's own settings mean for a hub. Moorage's sessions set their own mode, time zone
/// and character set. Sessions of the owner's other programs do not.
struct ServerSettings: Hashable, Sendable {
    var sqlMode = "STRICT_TRANS_TABLES"
    var hasBinaryLog = false
    var binaryLogFormat = "ROW"
    var trustsTriggers = true
    /// The hub's user may create triggers whatever the binary log requires.
    var isTrusted = true
    var maximumPacketBytes: Int64 = 67_108_864
    var isReadOnly = false

    /// Room for a value of 16,000,000 bytes, the largest in a batch, and for the rest of its
    /// packet.
    private static let packetBytes: Int64 = 16_777_216

    var findings: [Finding] {
        var findings: [Finding] = []
        if isReadOnly {
            findings.append(
                Finding(
                    .readOnly, .problem,
                    """
                    The server is read-only, as the copy of another one is. Name the primary server in the \
                    database's URL, or let this one be written.
                    """, repair: .sql(["SET GLOBAL read_only = 0"])))
        }
        if hasBinaryLog, !trustsTriggers, !isTrusted {
            findings.append(
                Finding(
                    .missingPrivileges, .problem,
                    """
                    The server writes a binary log and lets only administrators make triggers, which the hub's \
                    user is not (1419).
                    """, repair: .sql(["SET GLOBAL log_bin_trust_function_creators = 1"])))
        }
        if hasBinaryLog, binaryLogFormat.uppercased() == "STATEMENT" {
            findings.append(
                Finding(
                    .binaryLog, .problem,
                    """
                    The binary log holds statements, and the server then takes no write of Moorage's sessions, \
                    which are READ COMMITTED (1665).
                    """, repair: .sql(["SET GLOBAL binlog_format = 'MIXED'"])))
        }
        if !sqlMode.uppercased().contains("STRICT_") {
            findings.append(
                Finding(
                    .notStrict, .note,
                    """
                    The server is not strict: what other programs write is cut to fit in silence. Moorage's \
                    sessions are strict, so the same value of a device is refused.
                    """,
                    repair: .sql([
                        "SET GLOBAL sql_mode = CONCAT(@@global.sql_mode, ',STRICT_TRANS_TABLES')"
                    ])))
        }
        if maximumPacketBytes < Self.packetBytes {
            findings.append(
                Finding(
                    .smallPackets, .warning,
                    """
                    A statement may be \(maximumPacketBytes) bytes long: rows with larger values are refused, up \
                    to the 16,000,000 that a device may send.
                    """, repair: .sql(["SET GLOBAL max_allowed_packet = 67108864"])))
        }
        return findings
    }
}
