#if Macros
    public import StrataGraph
    public import StrataModel

    /// Says of a property of a `@Model` class what holds for the attribute.
    ///
    /// - Parameters:
    ///   - options: What holds, such as `.unique`.
    ///   - originalName: The name that the attribute had in an earlier version of the model.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @attached(peer)
    public macro Attribute(_ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil) =
        #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Says of a property of a `@Model` class that it is a relationship, and what holds for it.
    ///
    /// Without it a property whose type is a class of the model, or an array or a set of one, is a relationship all the same. Say the inverse on
    /// one side: the compiler calls it a circular reference on both.
    ///
    /// - Parameters:
    ///   - options: What holds, such as `.ordered`.
    ///   - deleteRule: What happens to the destinations when the object is deleted.
    ///   - minimumModelCount: The least number of destinations; 0 for any.
    ///   - maximumModelCount: The greatest number of destinations; 0 for any.
    ///   - originalName: The name that the relationship had in an earlier version of the model.
    ///   - inverse: The property of the destination that leads back; without it the only one that can, where there is exactly one.
    ///   - hashModifier: Text that makes the version hash differ where nothing else does.
    @attached(peer)
    public macro Relationship(
        _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
        originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) = #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Says of a stored property of a `@Model` class that no store keeps it: it stays what it is, with its default value in each object.
    @attached(peer)
    public macro Transient() = #externalMacro(module: "StrataMacros", type: "PropertyMarkerMacro")

    /// Says that no two objects of a `@Model` class have equal values of some attributes together: `#Unique<Person>([\.first, \.last])`.
    @freestanding(declaration)
    public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
        #externalMacro(module: "StrataMacros", type: "EntityClauseMacro")

    /// Says that fetches use indexes over some properties of a `@Model` class: `#Index<Person>([\.name], [\.last, \.first])`.
    ///
    /// The element of an optional composite attribute is named by its path, `[\.colors?.primary]`.
    @freestanding(declaration)
    public macro Index<T: PersistentModel>(_ indexes: [PartialKeyPath<T>]...) =
        #externalMacro(module: "StrataMacros", type: "EntityClauseMacro")
#endif
