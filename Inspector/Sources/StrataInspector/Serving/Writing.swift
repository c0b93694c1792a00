import Hummingbird
import Strata
import StrataStoreTool

/// The change of a form.
private enum WriteAction: Sendable {
    case set(key: String, text: String?)
    case delete

    /// - Throws: `PageError` where the form is of no action.
    init(_ values: FormValues) throws {
        switch values["action"] {
        case "set":
            guard let key = values.text("key") else { throw PageError(.badRequest, "the request names no property") }
            guard values.text("null") == nil else {
                self = .set(key: key, text: nil)
                return
            }
            guard let text = values["value"] else { throw PageError(.badRequest, "the request has no value") }
            self = .set(key: key, text: text)
        case "delete": self = .delete
        default: throw PageError(.badRequest, "action is set or delete")
        }
    }
}

extension Inspector {
    private static let greatestBody = 1 << 20

    /// Changes or deletes an object by a form with the token.
    ///
    /// - Throws: `PageError`, and what saving throws.
    func write(_ request: Request, _ pageRequest: PageRequest) async throws -> Response {
        guard pageRequest.name == .object else { throw PageError(.methodNotAllowed, "objects alone are written") }
        let values = FormValues(String(buffer: try await request.body.collect(upTo: Inspector.greatestBody)))
        try RequestGuard(request).check(token: options.writeToken, in: values)
        let action = try WriteAction(values)
        let reader = PageReader(container: container, options: options, links: links, values: values)
        let id = try reader.objectID()
        let version = values["version"]
        if version?.isEmpty == true { throw PageError(.badRequest, "version is empty") }
        try await work.run { [container] in
            try await container.performBackgroundTask { context in
                context.transactionAuthor = "strata inspector"
                let object = try context.existingObject(with: id)
                if let version, version != String(object.snapshot().version) {
                    throw PageError(.conflict, "another save changed the object since the page was read")
                }
                switch action {
                case .set(let key, let text): try object.set(key, to: text, in: container)
                case .delete: context.delete(object)
                }
                try context.save()
            }
        }
        if pageRequest.isJSON { return Response(.ok, json: .object(["objectID": Value.objectID(id).json])) }
        let target = if case .delete = action { links.table(id.entity.name) } else { links.object(id) }
        var headers = HTTPFields.guarded("text/plain")
        headers[.location] = target.text
        return Response(status: .seeOther, headers: headers)
    }
}

extension ManagedObject {
    /// Sets an attribute, or a to-one relationship, to the value of a text.
    ///
    /// - Throws: `PageError` where the property cannot hold it.
    fileprivate func set(_ key: String, to text: String?, in container: PersistentContainer) throws {
        switch entity.property(named: key) {
        case .attribute(let attribute) where !attribute.isDerived && !attribute.isTransient:
            guard let value = text == nil ? Value.null : attribute.type.value(JSON(text)) else {
                throw PageError(.unprocessableContent, "\(key) is \(attribute.type), and does not take the text")
            }
            try setValue(value, forKey: key)
        case .relationship(let relationship) where !relationship.isToMany && !relationship.isHidden:
            guard let text else { return try setValue(nil, forKey: key) }
            guard let id = container.coordinator.objectID(forURI: text) else {
                throw PageError(.unprocessableContent, "\(key) takes the URI of an object")
            }
            try setValue(managedObjectContext?.existingObject(with: id), forKey: key)
        default: throw PageError(.unprocessableContent, "\(entity.name) has no property \(key) that can be written")
        }
    }
}
