/// Coded as an object with one member, named after the type: `{"int":5}`.
///
/// Numbers that JSON cannot represent are texts. References and lists cause an `EncodingError`.
struct CodedValue: Codable {
    let value: Value

    private enum Kind: String, CodingKey { case null, bool, int, double, decimal, string, date, data, uuid, url }

    init(_ value: Value) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard container.allKeys.count == 1, let kind = container.allKeys.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "expected one kind of value"))
        }
        func parsed<T>(_ parse: (String) -> T?) throws -> T {
            guard let value = parse(try container.decode(String.self, forKey: kind)) else {
                throw DecodingError.dataCorruptedError(forKey: kind, in: container, debugDescription: "no \(kind.rawValue)")
            }
            return value
        }
        value =
            switch kind {
            case .null: .null
            case .bool: .bool(try container.decode(Bool.self, forKey: kind))
            case .int: .int(try container.decode(Int64.self, forKey: kind))
            case .double: .double(try parsed { Double($0) })
            case .decimal: .decimal(try parsed { Decimal(string: $0) })
            case .string: .string(try container.decode(String.self, forKey: kind))
            case .date: .date(Date(timeIntervalSinceReferenceDate: try parsed { Double($0) }))
            case .data: .data(try parsed { Data(base64Encoded: $0) })
            case .uuid: .uuid(try parsed { UUID(uuidString: $0) })
            case .url: .url(try parsed { URL(string: $0) })
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch value {
        case .null: try container.encodeNil(forKey: .null)
        case .bool(let value): try container.encode(value, forKey: .bool)
        case .int(let value): try container.encode(value, forKey: .int)
        case .double(let value): try container.encode(value.description, forKey: .double)
        case .decimal(let value): try container.encode(value.description, forKey: .decimal)
        case .string(let value): try container.encode(value, forKey: .string)
        case .date(let value): try container.encode(value.timeIntervalSinceReferenceDate.description, forKey: .date)
        case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
        case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
        case .url(let value): try container.encode(value.absoluteString, forKey: .url)
        case .objectID, .list:
            throw EncodingError.invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: "no value of a model"))
        }
    }
}
