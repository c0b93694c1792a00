import Foundation

/// An amount with its unit; the composite attribute `quantity` has it as a dictionary.
struct Quantity: Hashable {
    var value: Double
    var unit: String?

    init(value: Double, unit: String? = nil) {
        self.value = value
        self.unit = unit
    }

    init?(_ dictionary: [String: Any]) {
        guard let value = dictionary["value"] as? Double else { return nil }
        self.init(value: value, unit: dictionary["unit"] as? String)
    }

    var dictionary: [String: Any] {
        var dictionary: [String: Any] = ["value": value]
        dictionary["unit"] = unit
        return dictionary
    }
}

extension Quantity: CustomStringConvertible {
    var description: String {
        let number = value == value.rounded() ? String(Int(value)) : String(value)
        return unit.map { "\(number) \($0)" } ?? number
    }
}
