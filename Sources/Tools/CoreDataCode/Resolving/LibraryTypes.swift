/// The types of Swift's library and of Foundation by the declaring modules, which symbols name.
///
/// Foundation is Swift's own, with many types in FoundationEssentials. Symbols name concurrency's types as Swift's.
enum LibraryTypes {
    /// The types by their names, qualified with their enclosing types.
    static let all: [String: NominalName] = {
        var kinds: [String: (module: String, kind: TypeDeclaration.Kind)] = [:]
        for line in names.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            for name in words.dropFirst(2) { kinds[name] = (words[0], TypeDeclaration.Kind(keyword: words[1])) }
        }
        var types: [String: NominalName] = [:]
        for (path, entry) in kinds {
            var steps: [NominalName.Step] = []
            var prefix = ""
            for part in path.split(separator: ".") {
                prefix += (prefix.isEmpty ? "" : ".") + part
                steps.append(NominalName.Step(name: String(part), kind: kinds[prefix]?.kind ?? .struct))
            }
            types[path] = NominalName(module: entry.module, steps: steps)
        }
        return types
    }()

    /// The meanings of aliases, as Swift code.
    static let aliases: [String: String] = [
        "AnyClass": "AnyObject.Type", "BooleanLiteralType": "Bool", "CBool": "Bool", "CChar": "Int8", "CDouble": "Double",
        "CFloat": "Float", "CInt": "Int32", "CLong": "Int", "CLongLong": "Int64", "CShort": "Int16", "CSignedChar": "Int8",
        "CUnsignedChar": "UInt8", "CUnsignedInt": "UInt32", "CUnsignedLong": "UInt", "CUnsignedLongLong": "UInt64",
        "CUnsignedShort": "UInt16", "Codable": "Decodable & Encodable", "Float32": "Float", "Float64": "Double",
        "FloatLiteralType": "Double", "IntegerLiteralType": "Int", "NSErrorDomain": "String", "NSFetchRequestResult": "AnyObject",
        "NSPoint": "CGPoint", "NSRange": "_NSRange", "NSRect": "CGRect", "NSSize": "CGSize", "StringLiteralType": "String",
        "TimeInterval": "Double", "Void": "()", "unichar": "UInt16",
    ]

    /// The types, one line for each module and kind.
    private static let names = """
        Swift class AnyKeyPath KeyPath PartialKeyPath ReferenceWritableKeyPath WritableKeyPath MainActor
        Swift struct AnyBidirectionalCollection AnyCollection AnyHashable AnyIndex AnyIterator AnyRandomAccessCollection AnySequence \
        Array ArraySlice Bool CVaListPointer Character ClosedRange CodingUserInfoKey CollectionDifference ContiguousArray Dictionary \
        Double Duration Float Float16 Float80 Hasher Int Int128 Int16 Int32 Int64 Int8 KeyValuePairs ObjectIdentifier OpaquePointer \
        PartialRangeFrom PartialRangeThrough PartialRangeUpTo Range RangeSet Set StaticBigInt StaticString String Substring \
        SystemRandomNumberGenerator UInt UInt128 UInt16 UInt32 UInt64 UInt8 AsyncStream CancellationError Task TaskPriority
        Swift enum DecodingError EncodingError FloatingPointClassification FloatingPointRoundingRule FloatingPointSign MemoryLayout \
        Never Optional Result UnboundedRange_
        Swift protocol AdditiveArithmetic BidirectionalCollection BinaryFloatingPoint BinaryInteger BitwiseCopyable CVarArg CaseIterable \
        CodingKey CodingKeyRepresentable Collection Comparable Copyable CustomDebugStringConvertible CustomLeafReflectable \
        CustomPlaygroundDisplayConvertible CustomReflectable CustomStringConvertible Decodable Decoder DurationProtocol Encodable \
        Encoder Equatable Error Escapable ExpressibleByArrayLiteral ExpressibleByBooleanLiteral ExpressibleByDictionaryLiteral \
        ExpressibleByExtendedGraphemeClusterLiteral ExpressibleByFloatLiteral ExpressibleByIntegerLiteral ExpressibleByNilLiteral \
        ExpressibleByStringInterpolation ExpressibleByStringLiteral ExpressibleByUnicodeScalarLiteral FixedWidthInteger FloatingPoint \
        Hashable Identifiable InstantProtocol LosslessStringConvertible MutableCollection Numeric OptionSet RandomAccessCollection \
        RandomNumberGenerator RangeExpression RangeReplaceableCollection RawRepresentable Sendable SendableMetatype Sequence SetAlgebra \
        SignedInteger SignedNumeric Strideable StringInterpolationProtocol StringProtocol TextOutputStream TextOutputStreamable \
        UnsignedInteger Actor AsyncIteratorProtocol AsyncSequence Clock Executor GlobalActor SerialExecutor TaskExecutor
        Foundation class BlockOperation Bundle ByteCountFormatter DateFormatter DateIntervalFormatter Dimension EnergyFormatter \
        FileHandle Formatter Host ISO8601DateFormatter InputStream JSONSerialization LengthFormatter MassFormatter NSAffineTransform \
        NSArray NSAttributedString NSCache NSCalendar NSCharacterSet NSCoder NSCompoundPredicate NSCondition NSConditionLock \
        NSCountedSet NSData NSDate NSDateComponents NSDateInterval NSDecimalNumber NSDecimalNumberHandler NSDictionary NSEnumerator \
        NSError NSIndexPath NSIndexSet NSKeyedArchiver NSKeyedUnarchiver NSLocale NSLock NSMeasurement NSMutableArray \
        NSMutableAttributedString NSMutableCharacterSet NSMutableData NSMutableDictionary NSMutableIndexSet NSMutableOrderedSet \
        NSMutableSet NSMutableString NSNotification NSNull NSNumber NSObject NSOrderedSet NSOrthography NSPersonNameComponents \
        NSPredicate NSRecursiveLock NSRegularExpression NSSet NSSortDescriptor NSString NSTextCheckingResult NSTimeZone NSURL \
        NSURLComponents NSURLQueryItem NSUUID NSValue NotificationQueue NumberFormatter Operation OperationQueue OutputStream \
        PersonNameComponentsFormatter Pipe Port PortMessage Process Progress PropertyListSerialization RunLoop Scanner SocketPort Stream \
        Thread Timer Unit UnitAcceleration UnitAngle UnitArea UnitConcentrationMass UnitConverter UnitConverterLinear UnitDispersion \
        UnitDuration UnitElectricCharge UnitElectricCurrent UnitElectricPotentialDifference UnitElectricResistance UnitEnergy \
        UnitFrequency UnitFuelEfficiency UnitIlluminance UnitInformationStorage UnitLength UnitMass UnitPower UnitPressure UnitSpeed \
        UnitTemperature UnitVolume UserDefaults
        Foundation struct AffineTransform AlignmentOptions ByteCountFormatter.Units CGFloat CGPoint CGRect CGSize CharacterSet \
        ISO8601DateFormatter.Options IndexSet IndexSet.Index IndexSet.RangeView JSONSerialization.ReadingOptions \
        JSONSerialization.WritingOptions Measurement Morphology Morphology.CustomPronoun NSAffineTransformStruct NSArray.Iterator \
        NSAttributedString.EnumerationOptions NSAttributedString.Key NSBinarySearchingOptions NSCalendar.Identifier NSCalendar.Options \
        NSCalendar.Unit NSDictionary.Iterator NSEdgeInsets NSEnumerationOptions NSEnumerator.Iterator NSExceptionName NSIndexSetIterator \
        NSLocale.Key NSNotification.Name NSRegularExpression.MatchingFlags NSRegularExpression.MatchingOptions \
        NSRegularExpression.Options NSSortOptions NSString.EncodingConversionOptions NSString.EnumerationOptions NSTextCheckingKey \
        NSTextCheckingResult.CheckingType NSZone Notification NotificationQueue.NotificationCoalescing ObjCBool PersonNameComponents \
        PersonNameComponentsFormatter.Options Progress.FileOperationKind ProgressKind ProgressUserInfoKey \
        PropertyListSerialization.MutabilityOptions RunLoop.Mode Stream.Event Stream.PropertyKey StreamNetworkServiceTypeValue \
        StreamSOCKSProxyConfiguration StreamSOCKSProxyVersion StreamSocketSecurityLevel StringTransform URLError URLFileResourceType \
        URLResourceKey URLResourceValues _NSRange
        Foundation enum ByteCountFormatter.CountStyle CGRectEdge DateFormatter.Style DateIntervalFormatter.Style EnergyFormatter.Unit \
        Formatter.Context Formatter.UnitStyle InflectionRule LengthFormatter.Unit MassFormatter.Unit Morphology.GrammaticalGender \
        Morphology.GrammaticalNumber Morphology.PartOfSpeech NSCoder.DecodingFailurePolicy NSCompoundPredicate.LogicalType NSRectEdge \
        NotificationQueue.PostingStyle NumberFormatter.PadPosition NumberFormatter.RoundingMode NumberFormatter.Style \
        Operation.QueuePriority PersonNameComponentsFormatter.Style Process.TerminationReason QualityOfService \
        Scanner.NumberRepresentation Stream.Status URLError.Code
        Foundation protocol CustomNSError NSCacheDelegate NSCoding NSCopying NSDecimalNumberBehaviors NSKeyedArchiverDelegate \
        NSKeyedUnarchiverDelegate NSLocking NSMutableCopying NSObjectProtocol NSSecureCoding PortDelegate ProgressReporting \
        RecoverableError ReferenceConvertible StreamDelegate
        FoundationEssentials class FileManager JSONDecoder JSONEncoder NotificationCenter ProcessInfo PropertyListDecoder \
        PropertyListEncoder
        FoundationEssentials struct AttributeContainer AttributeScopeCodableConfiguration AttributeScopes.FoundationAttributes \
        AttributeScopes.FoundationAttributes.MeasurementAttribute AttributeScopes.FoundationAttributes.NumberFormatAttributes \
        AttributedString AttributedString.AttributeInvalidationCondition AttributedString.CharacterView AttributedString.Index \
        AttributedString.UTF16View AttributedString.UTF8View AttributedString.UnicodeScalarView AttributedSubstring Calendar \
        Calendar.RecurrenceRule Calendar.RecurrenceRule.End Calendar.RecurrenceRule.Month CocoaError CocoaError.Code Data \
        Data.Base64DecodingOptions Data.Base64EncodingOptions Data.Iterator Data.ReadingOptions Data.SearchOptions Data.WritingOptions \
        Date Date.ISO8601FormatStyle DateComponents DateComponents.ISO8601FormatStyle DateInterval Decimal FileAttributeKey \
        FileAttributeType FileManager.DirectoryEnumerationOptions FileManager.ItemReplacementOptions FileManager.SearchPathDomainMask \
        FileManager.UnmountOptions FileProtectionType IndexPath Locale Locale.Collation Locale.Components Locale.Currency \
        Locale.Language Locale.Language.Components Locale.LanguageCode Locale.MeasurementSystem Locale.NumberingSystem Locale.Region \
        Locale.Script Locale.Subdivision Locale.Variant OperatingSystemVersion POSIXError PredicateError TimeZone URL URL.Template \
        URL.Template.Value URL.Template.VariableName URLComponents URLQueryItem UUID
        FoundationEssentials enum AttributeDynamicLookup AttributeScopes \
        AttributeScopes.FoundationAttributes.AlternateDescriptionAttribute AttributeScopes.FoundationAttributes.ByteCountAttribute \
        AttributeScopes.FoundationAttributes.ByteCountAttribute.Component AttributeScopes.FoundationAttributes.ByteCountAttribute.Unit \
        AttributeScopes.FoundationAttributes.DateFieldAttribute AttributeScopes.FoundationAttributes.DateFieldAttribute.Field \
        AttributeScopes.FoundationAttributes.DurationFieldAttribute AttributeScopes.FoundationAttributes.DurationFieldAttribute.Field \
        AttributeScopes.FoundationAttributes.ImageURLAttribute AttributeScopes.FoundationAttributes.LanguageIdentifierAttribute \
        AttributeScopes.FoundationAttributes.LinkAttribute AttributeScopes.FoundationAttributes.MeasurementAttribute.Component \
        AttributeScopes.FoundationAttributes.NumberFormatAttributes.NumberPartAttribute \
        AttributeScopes.FoundationAttributes.NumberFormatAttributes.NumberPartAttribute.NumberPart \
        AttributeScopes.FoundationAttributes.NumberFormatAttributes.SymbolAttribute \
        AttributeScopes.FoundationAttributes.NumberFormatAttributes.SymbolAttribute.Symbol \
        AttributeScopes.FoundationAttributes.PersonNameComponentAttribute \
        AttributeScopes.FoundationAttributes.PersonNameComponentAttribute.Component \
        AttributeScopes.FoundationAttributes.ReplacementIndexAttribute AttributeScopes.FoundationAttributes.WritingDirectionAttribute \
        AttributedString.AttributeMergePolicy AttributedString.AttributeRunBoundaries AttributedString.WritingDirection \
        Calendar.Component Calendar.Identifier Calendar.MatchingPolicy Calendar.RecurrenceRule.Frequency Calendar.RecurrenceRule.Weekday \
        Calendar.RepeatedTimePolicy Calendar.SearchDirection ComparisonResult Data.Deallocator Date.ISO8601FormatStyle.DateSeparator \
        Date.ISO8601FormatStyle.DateTimeSeparator Date.ISO8601FormatStyle.TimeSeparator Date.ISO8601FormatStyle.TimeZoneSeparator \
        Decimal.CalculationError Decimal.RoundingMode FileManager.SearchPathDirectory FileManager.URLRelationship Locale.HourCycle \
        Locale.IdentifierType Locale.LanguageCode.IdentifierType Locale.LanguageDirection Locale.Weekday \
        PropertyListDecoder.PropertyListFormat SortOrder TimeZone.NameStyle URL.DirectoryHint
        FoundationEssentials protocol AttributeScope AttributedStringAttributeMutation AttributedStringKey AttributedStringProtocol \
        ContiguousBytes DataProtocol DecodableAttributedStringKey DecodableWithConfiguration DecodingConfigurationProviding \
        DiscreteFormatStyle EncodableAttributedStringKey EncodableWithConfiguration EncodingConfigurationProviding FileManagerDelegate \
        LocalizedError MarkdownDecodableAttributedStringKey MutableDataProtocol ParseStrategy ParseableFormatStyle SortComparator \
        StandardPredicateExpression
        CoreData class NSAsynchronousFetchRequest NSAsynchronousFetchResult NSAtomicStore NSAtomicStoreCacheNode NSAttributeDescription \
        NSBatchDeleteRequest NSBatchDeleteResult NSBatchInsertRequest NSBatchInsertResult NSBatchUpdateRequest NSBatchUpdateResult \
        NSCompositeAttributeDescription NSDerivedAttributeDescription NSEntityDescription NSEntityMapping NSEntityMigrationPolicy \
        NSExpressionDescription NSFetchIndexDescription NSFetchIndexElementDescription NSFetchRequest NSFetchRequestExpression \
        NSFetchedPropertyDescription NSFetchedResultsController NSIncrementalStore NSIncrementalStoreNode NSManagedObject \
        NSManagedObjectContext NSManagedObjectID NSManagedObjectModel NSMappingModel NSMergeConflict NSMergePolicy NSMigrationManager \
        NSPersistentContainer NSPersistentHistoryChange NSPersistentHistoryChangeRequest NSPersistentHistoryResult \
        NSPersistentHistoryToken NSPersistentHistoryTransaction NSPersistentStore NSPersistentStoreCoordinator \
        NSPersistentStoreDescription NSPersistentStoreRequest NSPersistentStoreResult NSPropertyDescription NSPropertyMapping \
        NSQueryGenerationToken NSRelationshipDescription NSSaveChangesRequest NSComparisonPredicate NSExpression UndoManager \
        ValueTransformer
        """
}
