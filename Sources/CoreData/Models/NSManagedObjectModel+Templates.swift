import StrataModel

extension NSManagedObjectModel {
    /// The fetch request templates by name.
    ///
    /// They belong to the model, and are not to be changed.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }

    /// Returns the fetch request template of a name; `nil` where there is none.
    ///
    /// It belongs to the model, and must not be changed.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = templates[name] else { return nil }
        let typed = typed(template)
        templates[name] = typed
        return typed
    }

    /// Stores a copy of a fetch request under a name; removes the template for `nil`.
    ///
    /// Traps if the model is frozen.
    public func setFetchRequestTemplate(_ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String) {
        checkIsEditable()
        templates[name] = fetchRequestTemplate?.copyAsTemplate()
    }

    /// Stores a copy of a fetch request for results of any class under a name.
    ///
    /// Traps if the model is frozen.
    public func setFetchRequestTemplate<Result>(_ fetchRequestTemplate: NSFetchRequest<Result>, forName name: String) {
        checkIsEditable()
        templates[name] = fetchRequestTemplate.copyAsTemplate()
    }

    /// Returns a request of a template, with values substituted for the variables of its predicate.
    ///
    /// - Parameters:
    ///   - name: The template's name.
    ///   - variables: A value for each variable `$NAME`, under its name without the dollar sign.
    /// - Returns: A mutable copy; `nil` without such a template. Traps if a variable has no value.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let request = templates[name].map({ typed($0.copyAsTemplate()) }) else { return nil }
        request.predicate = request.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Returns a template of the class that ``NSManagedObject/fetchRequest()`` returns, to which code casts it.
    private func typed(_ template: NSFetchRequest<any NSFetchRequestResult>) -> NSFetchRequest<any NSFetchRequestResult> {
        guard type(of: template) == NSFetchRequest<any NSFetchRequestResult>.self, template.resultType == .managedObjectResultType,
            let name = template.entityName, let className = entitiesByName[name]?.managedObjectClassName,
            let objectClass = try? ManagedClasses.objectClass(named: className, of: name)
        else { return template }
        let typed = objectClass.ownRequest
        template.takeAll(typed)
        return typed
    }
}

extension NSFetchRequest {
    /// Returns a copy without the type of the results.
    func copyAsTemplate() -> NSFetchRequest<any NSFetchRequestResult> {
        let copy = entityName.map { NSFetchRequest<any NSFetchRequestResult>(entityName: $0) } ?? NSFetchRequest<any NSFetchRequestResult>()
        takeOptions(copy)
        return copy
    }
}
