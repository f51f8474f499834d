import Foundation
import GRDB
import Moorage

/// An order as the list shows it.
struct OrderSummary: Hashable, Decodable, FetchableRecord, Sendable, CustomStringConvertible {
    let order: Order
    let customer: Customer?
    let orderDetails: [OrderDetail]

    private var total: Decimal {
        orderDetails.reduce(0) { sum, line in
            let (price, discount) = (line.unitPrice.decimal ?? 0, line.discount.decimal ?? 0)
            return sum + price * Decimal(line.quantity) * (1 - discount)
        }
    }

    var description: String {
        let sum = String(format: "%10.2f", Double(truncating: total as NSDecimalNumber))
        return "\(order.orderID ?? 0)  \(order.orderDate?.description ?? "          ")  \(sum)  "
            + "\(orderDetails.count) lines  \(customer?.companyName ?? "–")"
    }
}

/// A line of a new order, as it is typed: `product:quantity` or `product:quantity:discount`.
struct OrderLine {
    let product: Int64
    let quantity: Int64
    let discount: ExactDecimal

    init(_ text: String) throws {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), let product = Int64(parts[0]),
            let quantity = Int64(parts[1]), quantity > 0,
            let discount = parts.count == 3 ? ExactDecimal(parts[2]) : 0,
            (0..<1).contains(discount)
        else { throw AppError("'\(text)' is no line; write product:quantity:discount: 11:12:0.05") }
        (self.product, self.quantity, self.discount) = (product, quantity, discount)
    }
}
