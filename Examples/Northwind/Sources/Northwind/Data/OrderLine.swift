/// A line of a new order, as it is typed: `product:quantity` or `product:quantity:discount`.
struct OrderLine {
    let product: Int64
    let quantity: Int64
    /// As it was typed: a decimal is never a binary fraction on its way.
    let discount: String

    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let product = Int64(parts[0]),
            let quantity = Int64(parts[1]), quantity > 0
        else { throw AppError("'\(text)' is no line; write product:quantity, as in 11:12.") }
        let discount = parts.count == 3 ? String(parts[2]) : "0.00"
        guard let share = Double(discount), (0..<1).contains(share) else {
            throw AppError("'\(discount)' is no discount; write 0.05 for five per cent.")
        }
        self.product = product
        self.quantity = quantity
        self.discount = discount
    }
}
