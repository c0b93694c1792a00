#if ICU && canImport(_FoundationICU)
    import Synchronization
    import _FoundationICU

    extension TextOptions {
        /// Returns the option for ICU's order of a locale, `"zh"` or `"sv_SE"`; for the uses of ``localeSensitive``.
        ///
        /// Together with ``numeric``, ``caseInsensitive`` and ``diacriticInsensitive``. ICU has an order for any
        /// identifier: the root collation for unknown locales. The order may change with ICU's version, so stored data
        /// are independent of it.
        public static func locale(_ identifier: String) -> TextOptions {
            TextOptions(rawValue: localeSensitive.rawValue | LocaleNumbers.number(of: identifier) << localeShift)
        }

        /// The locale whose order it is; `nil` for the order that is the same in every locale.
        public var localeIdentifier: String? { LocaleNumbers.identifier(of: rawValue >> TextOptions.localeShift) }

        /// The offset of the locale's number in the raw value.
        private static let localeShift = 8
    }

    /// The numbers of the locales that were named in the process, which options contain: raw values are not stored.
    private enum LocaleNumbers {
        private static let identifiers = Mutex<[String]>([])

        static func number(of identifier: String) -> Int {
            identifiers.withLock { identifiers in
                if let index = identifiers.firstIndex(of: identifier) { return index + 1 }
                identifiers.append(identifier)
                return identifiers.count
            }
        }

        static func identifier(of number: Int) -> String? {
            identifiers.withLock { $0.indices.contains(number - 1) ? $0[number - 1] : nil }
        }
    }

    /// ICU's order of a locale.
    @safe final class LocalizedCollation: Sendable {
        /// ICU's collator, which is immutable from then on, and thread-safe.
        private nonisolated(unsafe) let collator: OpaquePointer?

        private init(_ identifier: String, _ options: TextOptions) {
            var status = U_ZERO_ERROR
            let collator = unsafe swift_ucol_open(identifier, &status)
            func set(_ attribute: UColAttribute, _ value: UColAttributeValue) {
                unsafe swift_ucol_setAttribute(collator, attribute, value, &status)
            }
            if options.contains(.numeric) { set(UCOL_NUMERIC_COLLATION, UCOL_ON) }
            if options.contains(.diacriticInsensitive) {
                set(UCOL_STRENGTH, UCOL_PRIMARY)
                // Case is on the third level, or a level of its own without the second one.
                if !options.contains(.caseInsensitive) { set(UCOL_CASE_LEVEL, UCOL_ON) }
            } else if options.contains(.caseInsensitive) {
                set(UCOL_STRENGTH, UCOL_SECONDARY)
            }
            unsafe self.collator = collator
        }

        deinit { unsafe swift_ucol_close(collator) }

        private static let known = Mutex<[TextOptions: LocalizedCollation]>([:])

        /// Returns the order of the options' locale; `nil` if they name none.
        static func of(_ options: TextOptions) -> LocalizedCollation? {
            guard let identifier = options.localeIdentifier else { return nil }
            return known.withLock { known in
                if let collation = known[options] { return collation }
                let collation = LocalizedCollation(identifier, options)
                known[options] = collation
                return collation
            }
        }

        /// Appends the key of a text in UTF-8; keys sort by their bytes as their texts do.
        func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
            let units = unsafe Array(String(decoding: text, as: UTF8.self).utf16)
            var capacity = units.count * 4 + 16
            while true {
                let count = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
                    let count = unsafe Int(
                        swift_ucol_getSortKey(collator, units, Int32(clamping: units.count), buffer.baseAddress, Int32(clamping: capacity)))
                    if count <= capacity { unsafe key.append(contentsOf: buffer[..<max(0, count)]) }
                    return count
                }
                if count <= capacity { return }
                capacity = count
            }
        }
    }
#endif
