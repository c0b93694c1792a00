#if ICU && canImport(_FoundationICU)
    import Synchronization
    import _FoundationICU

    extension TextOptions {
        /// In the order of a locale, `"zh"` or `"sv_SE"`, as ICU has it; for what ``localeSensitive`` is for.
        ///
        /// Together with ``numeric``, ``caseInsensitive`` and ``diacriticInsensitive``. ICU has an order for any identifier: that of all
        /// languages where it knows the locale no better. The order may change with ICU's version, so nothing that is kept in a store depends
        /// on it.
        public static func locale(_ identifier: String) -> TextOptions {
            TextOptions(rawValue: localeSensitive.rawValue | LocaleNumbers.number(of: identifier) << localeShift)
        }

        /// The locale whose order it is; `nil` for the order that is the same in every locale.
        public var localeIdentifier: String? { LocaleNumbers.identifier(of: rawValue >> TextOptions.localeShift) }

        /// Where the number of the locale stands in the raw value.
        private static let localeShift = 8
    }

    /// The numbers of the locales that were named in the process, which options hold: no raw value is kept in a store or sent elsewhere.
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

    /// The order of a locale, as ICU has it.
    @safe final class LocalizedCollation: Sendable {
        /// ICU's collator, which is not changed any more and may be used on any thread.
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
                // Case is of the third level, and a level of its own where the second one is left out.
                if !options.contains(.caseInsensitive) { set(UCOL_CASE_LEVEL, UCOL_ON) }
            } else if options.contains(.caseInsensitive) {
                set(UCOL_STRENGTH, UCOL_SECONDARY)
            }
            unsafe self.collator = collator
        }

        deinit { unsafe swift_ucol_close(collator) }

        private static let known = Mutex<[TextOptions: LocalizedCollation]>([:])

        /// The order that options name; `nil` where they name no locale.
        static func of(_ options: TextOptions) -> LocalizedCollation? {
            guard let identifier = options.localeIdentifier else { return nil }
            return known.withLock { known in
                if let collation = known[options] { return collation }
                let collation = LocalizedCollation(identifier, options)
                known[options] = collation
                return collation
            }
        }

        /// Appends the key of a text, which is UTF-8; keys order by their bytes as their texts do.
        func appendKey(of text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
            let units = unsafe Array(String(decoding: text, as: UTF8.self).utf16)
            var room = units.count * 4 + 16
            while true {
                let count = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
                    let count = unsafe Int(
                        swift_ucol_getSortKey(collator, units, Int32(clamping: units.count), buffer.baseAddress, Int32(clamping: room)))
                    if count <= room { unsafe key.append(contentsOf: buffer[..<max(0, count)]) }
                    return count
                }
                if count <= room { return }
                room = count
            }
        }
    }
#endif
