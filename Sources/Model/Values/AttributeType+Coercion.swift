extension Value {
    /// Returns the word of a slot with the value, where attributes of such a slot hold it unchanged, but for integers out
    /// of their range; `nil` otherwise.
    @inlinable
    public func plainWord(_ kind: SlotKind) -> UInt64? {
        switch (kind, self) {
        case (.integer, .int(let number)): UInt64(bitPattern: number)
        case (.double, .double(let number)): number.bitPattern
        case (.float, .double(let number)): Double(Float(number)) == number ? number.bitPattern : nil
        case (.boolean, .bool(let flag)): flag ? 1 : 0
        case (.date, .date(let date)): date.timeIntervalSinceReferenceDate.bitPattern
        default: nil
        }
    }

    /// Returns whether every attribute whose slot is of a kind holds the value unchanged, so that ``AttributeType/coerce(_:)`` returns it.
    public func fitsAll(_ kind: SlotKind) -> Bool {
        switch (kind, self) {
        case (.integer, .int(let number)): Int16(exactly: number) != nil
        case (.boolean, .bool), (.double, .double), (.date, .date), (.decimal, .decimal), (.string, .string), (.uri, .url), (.uuid, .uuid),
            (.binary, .data), (.transformable, .data):
            true
        default: false
        }
    }
}

extension AttributeType {
    /// Coerces a value to this type without loss, as an assignment to an attribute or a comparison with one does.
    ///
    /// Integers become floating-point or decimal numbers, whole numbers become integers within the type's range, 0 and
    /// 1 become truth values and back; text becomes a UUID or a URL only if it is one.
    ///
    /// - Returns: `nil` for a value of an incompatible type.
    public func coerce(_ value: Value) -> Value? {
        // `.none` for a failed conversion: a value may be written as `nil`, which is not the same.
        switch (self, value) {
        case (_, .null): .null
        case (.integer16, .int(let number)), (.integer32, .int(let number)), (.integer64, .int(let number)):
            integerRange?.contains(number) == true ? value : .none
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)): .int(flag ? 1 : 0)
        case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
            Int64(exactly: number).flatMap { integerRange?.contains($0) == true ? .int($0) : .none }
        case (.double, .double): value
        // A number out of the range of floats does not become an infinity.
        case (.float, .double(let number)): Float(number).isInfinite && number.isFinite ? .none : .double(Double(Float(number)))
        case (.double, .int(let number)): .double(Double(number))
        case (.float, .int(let number)): .double(Double(Float(number)))
        case (.double, .decimal(let number)): Double(number.description).map { .double($0) }
        case (.decimal, .decimal): value
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        // The decimal parser reads "-inf" as zero.
        case (.decimal, .double(let number)): number.isFinite ? Decimal(string: number.description).map { .decimal($0) } : .none
        case (.boolean, .bool): value
        case (.boolean, .int(let number)): number == 0 ? .bool(false) : number == 1 ? .bool(true) : .none
        case (.string, .string), (.date, .date), (.binary, .data), (.transformable, .data), (.uuid, .uuid), (.uri, .url): value
        case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.uri, .string(let text)): URL(string: text).map { .url($0) }
        default: nil
        }
    }

    /// Returns whether every value of this type converts to another one without loss.
    public func isLossless(to other: AttributeType) -> Bool {
        switch (self, other) {
        case _ where self == other: true
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.boolean, .integer16), (.boolean, .integer32), (.boolean, .integer64): true
        case (.integer16, .float), (.integer16, .double), (.integer32, .double), (.float, .double): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.uri, .string), (.uuid, .string): true
        default: false
        }
    }

    /// Converts a value of a type that converts without loss to this one.
    package func converted(_ value: Value) -> Value? {
        switch (self, value) {
        case (.string, .uuid(let uuid)): .string(uuid.uuidString)
        default: coerce(value)
        }
    }
}
