#if Macros
    public import StrataGraph
    public import StrataModel

    /// Sets the options of an attribute of a `@Model` class.
    ///
    /// - Parameters:
    ///   - options: The options, such as `.unique`.
    ///   - originalName: The name that the attribute had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @attached(peer)
    public macro Attribute(_ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil) =
        #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Declares a property of a `@Model` class as a relationship, with its options.
    ///
    /// Without it a property whose type is a class of the model, or an array or a set of one, is a relationship too.
    /// Declare the inverse on one side: on both the compiler reports a circular reference.
    ///
    /// - Parameters:
    ///   - options: The options, such as `.ordered`.
    ///   - deleteRule: What happens to the destinations when the object is deleted.
    ///   - minimumModelCount: The least number of destinations; 0 for any.
    ///   - maximumModelCount: The greatest number of destinations; 0 for any.
    ///   - originalName: The name that the relationship had in an earlier version of the model.
    ///   - inverse: The inverse property of the destination; by default the only possible one.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @attached(peer)
    public macro Relationship(
        _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) = #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Excludes a stored property of a `@Model` class from the store: it stays a plain property with its default value.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Declares a uniqueness constraint over some attributes of a `@Model` class: `#Unique<Person>([\.first, \.last])`.
    @freestanding(declaration)
    public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
        #externalMacro(module: "StrataMacros", type: "EntityClauseMacro")

    /// Declares indexes over some properties of a `@Model` class: `#Index<Person>([\.name], [\.last, \.first])`.
    ///
    /// The element of an optional composite attribute is named by its path, `[\.colors?.primary]`.
    @freestanding(declaration)
    public macro Index<T: PersistentModel>(_ indexes: [PartialKeyPath<T>]...) =
        #externalMacro(module: "StrataMacros", type: "EntityClauseMacro")
#endif
