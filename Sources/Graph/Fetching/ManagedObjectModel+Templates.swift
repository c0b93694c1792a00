public import StrataModel
public import StrataQuery

extension ManagedObjectModel {
    /// Returns the request of a template as the model declares it, its variables not substituted; `nil` when there is
    /// none of that name.
    ///
    /// - Throws: `QueryFormatError` where the template's condition is malformed.
    public func fetchRequestTemplate(named name: String) throws -> ObjectFetchRequest<ManagedObject>? {
        try fetchTemplatesByName[name].map { try request($0) }
    }

    /// Returns the request of a template with its variables substituted.
    ///
    /// ```swift
    /// let request = try model.fetchRequest(fromTemplate: "olderThan", substituting: ["AGE": 30], for: Person.self)
    /// ```
    /// - Parameters:
    ///   - name: The template's name.
    ///   - variables: Values by the names of variables, without the `$`.
    ///   - type: The class of the objects; that of the template's entity, or one that it inherits from.
    /// - Throws: `QueryError` with `unknownTemplate`, with `unboundVariable` where a variable has no value;
    ///   `QueryFormatError` where the template's condition is malformed.
    public func fetchRequest<Result: ManagedObject>(
        fromTemplate name: String, substituting variables: [String: any QueryArgument] = [:], for type: Result.Type = ManagedObject.self
    ) throws -> ObjectFetchRequest<Result> {
        guard let template = fetchTemplatesByName[name]
        else { throw QueryError(.unknownTemplate, entity: "", subject: name, "the model has no fetch template \(name)") }
        var request: ObjectFetchRequest<Result> = try request(template)
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        if let unbound = request.predicate?.variables.min() {
            throw QueryError(.unboundVariable, entity: template.entity, subject: "$" + unbound, "nothing gives the variable a value")
        }
        return request
    }

    private func request<Result: ManagedObject>(_ template: FetchTemplate) throws -> ObjectFetchRequest<Result> {
        var request = ObjectFetchRequest<Result>(
            entityName: template.entity, try template.predicate.map { try QueryPredicate(format: $0, model: self) },
            sort: template.sort.map { QuerySort($0) }, limit: template.limit, offset: template.offset)
        request.includesSubentities = template.includesSubentities
        return request
    }
}
