/// One connection to the central database. All of it is synchronous and bound to one thread at a
/// time.
///
/// Every function throws ``CentralError``. The contract has ten parts, one for each purpose, and
/// a connector implements all of them. A test double overrides what it needs of
/// `ForwardingConnection` in `MoorageTesting`.
public protocol CentralConnection:
    CentralTransactions, CentralMetadata, CentralSchema, CentralAddedKeys, CentralTracking,
    CentralNumbering, CentralPaging, CentralQuerying, CentralPushing, CentralDoctor
{}
