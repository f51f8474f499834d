import Moorage

/// A line of a new order, as it is typed: `product:quantity` or `product:quantity:discount`.
struct OrderLine {
    let product: Int64
    let quantity: Int64
    let discount: ExactDecimal

    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), let product = Int64(parts[0]),
            let quantity = Int64(parts[1]), quantity > 0
        else { throw AppError("'\(text)' is no line; write product:quantity, as in 11:12.") }
        let discount = parts.count == 3 ? ExactDecimal(parts[2]) : 0
        guard let discount, (0..<1).contains(discount) else {
            throw AppError("'\(parts[2])' is no discount; write 0.05 for five per cent.")
        }
        self.product = product
        self.quantity = quantity
        self.discount = discount
    }
}
