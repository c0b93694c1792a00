public import StrataModel
public import StrataQuery
import Synchronization

/// Finds the name of the property that a key path of a managed object leads to.
///
/// The text of a class's key path does not hold the name on Linux, so the key path is read from a probe: an object outside any context
/// whose typed keys note that they were read and give sample values. The key path leads to a property when what comes out is the sample,
/// for each of several samples; so a computed property is told from a stored one.
package enum KeyPathProbe {
    /// Returns the path of the property, empty for the object itself.
    ///
    /// - Throws: `QueryError` with `computedProperty` where the key path does not lead to a property that is declared
    ///   with a typed key.
    package static func path(of keyPath: AnyKeyPath) throws(QueryError) -> String {
        let key = HashedKeyPath(keyPath: keyPath)
        if let known = cache.withLock({ $0[key] }) { return try known.get() }
        let found: Result<String, QueryError>
        do throws(QueryError) { found = .success(try probe(keyPath)) } catch { found = .failure(error) }
        cache.withLock { $0[key] = found }
        return try found.get()
    }

    private static let cache = Mutex<[HashedKeyPath: Result<String, QueryError>]>([:])

    /// Returns the key of the property, with a name that says why where there is none.
    ///
    /// A key path that stands in the source is one object, which is found faster than by hashing its components.
    static func key(of keyPath: AnyKeyPath) -> Key<Value> {
        if let known = keys.withLock({ $0[ObjectIdentifier(keyPath)]?.key }) { return known }
        let key = Key<Value>(QueryExpression.path(of: keyPath))
        // Key paths that are made at run time are objects of their own each: not all of them are kept.
        keys.withLock { if $0.count < 4_096 { $0[ObjectIdentifier(keyPath)] = KeptKeyPath(keyPath: keyPath, key: key) } }
        return key
    }

    private static let keys = Mutex<[ObjectIdentifier: KeptKeyPath]>([:])

    private static func probe(_ keyPath: AnyKeyPath) throws(QueryError) -> String {
        guard let type = type(of: keyPath).rootType as? ManagedObject.Type else {
            throw refusal(keyPath, "it does not start at a managed object")
        }
        if let declared = type.entityDeclaration?.properties.first(where: { $0.keyPath.map { $0 as AnyKeyPath } == keyPath }) {
            return declared.name
        }
        let first = try read(keyPath, of: type, run: 0)
        var paths = first.paths
        for run in 1..<max(1, first.runs) {
            paths.formIntersection(try read(keyPath, of: type, run: run).paths)
            if paths.isEmpty { throw refusal(keyPath, "it is computed") }
        }
        guard let path = paths.first, paths.count == 1 else {
            throw refusal(keyPath, "nothing tells \(paths.sorted().joined(separator: " from ")): name the element by its typed key")
        }
        // Where the property may be nil it is when its key is; behind a step it may be unwrapped by force, so that is not tried there.
        if Swift.type(of: keyPath).valueType is any OptionalType.Type, !path.isEmpty, !path.contains(".") {
            let recorder = KeyPathRecorder(run: 0, withoutValue: path)
            let result = recorder.read(keyPath, of: type)
            guard result == nil, recorder.paths == [path] else {
                throw refusal(keyPath, "it is computed, from \(path) and more")
            }
        }
        return path
    }

    private static func read(
        _ keyPath: AnyKeyPath, of type: ManagedObject.Type, run: Int
    ) throws(QueryError) -> (paths: Set<String>, runs: Int) {
        let recorder = KeyPathRecorder(run: run, withoutValue: nil)
        let result = recorder.read(keyPath, of: type)
        let read = recorder.paths
        if let unknown = recorder.typeWithoutSample { throw refusal(keyPath, "there is no sample of the type \(unknown)") }
        let found = result.map { recorder.paths(of: $0) } ?? []
        if found.isEmpty {
            if read.isEmpty { throw refusal(keyPath, "it reads no typed key") }
            throw refusal(keyPath, "it is computed, from \(read.joined(separator: ", "))")
        }
        // What is read on the way to the property leads to it.
        guard found.contains(where: { path in read.allSatisfy { path == $0 || path.hasPrefix($0 + ".") } }) else {
            throw refusal(keyPath, "it is computed, from \(read.joined(separator: ", "))")
        }
        return (found, recorder.runs)
    }

    private static func refusal(_ keyPath: AnyKeyPath, _ why: String) -> QueryError {
        let type = type(of: keyPath)
        return QueryError(
            .computedProperty, entity: "\(type.rootType)", subject: "\(keyPath)",
            "of type \(type.valueType), it references no stored property of \(type.rootType): \(why)")
    }

    // MARK: - Probes

    /// What the IDs of all probes share; `nil` never comes to pass, for the model is sound.
    static let scope: ObjectIDScope? = {
        let model = try? ManagedObjectModel { Entity("probe") { Attribute("probe", .undefined).transient } }
        return model?.entity(named: "probe").map { ObjectIDScope(storeID: nil, entity: $0) }
    }()

    static func isProbe(_ object: ManagedObject) -> Bool { object.managedObjectContext == nil && object.objectID.scope === scope }

    /// Returns the slot of any attribute of a probe: one that a row never holds.
    static func propertySlot(in object: ManagedObject) -> PropertySlot? { isProbe(object) ? object.entity.propertySlots.first : nil }
}

extension ManagedObject {
    /// What a probe gives for an attribute; `nil` for any other object.
    @usableFromInline
    final func sample<V: ValueConvertible>(_ key: Key<V>) -> V? {
        KeyPathProbe.isProbe(self) ? KeyPathRecorder.current?.sample(key, of: self) : nil
    }

    /// What a probe gives for a property whose values are objects that the graph knows nothing of; `nil` for any other object.
    package final func sampleObject<T: AnyObject>(_ name: String, _ make: () -> T) -> T?? {
        guard KeyPathProbe.isProbe(self) else { return nil }
        return .some(KeyPathRecorder.current?.sampleObject(name, of: self, make))
    }

    /// What a probe gives for a to-one relationship.
    ///
    /// - Precondition: The object is a probe.
    final func sample<D: ManagedObject>(_ key: ToOne<D>) -> D? {
        guard KeyPathProbe.isProbe(self) else { programmerError("\(entity.name) has no to-one relationship \(key.path)") }
        return KeyPathRecorder.current?.destination(key, of: self)
    }

    /// What a probe gives for a to-many relationship.
    final func samples<D: ManagedObject>(_ path: String, isOrdered: Bool) -> [D] {
        KeyPathRecorder.current?.destinations(path, isOrdered: isOrdered, of: self) ?? []
    }
}

/// A key path as a key of a dictionary that threads share.
// Unchecked: a key path is immutable; one with subscript arguments, which need not be Sendable, is only compared and hashed.
private struct HashedKeyPath: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
}

/// The key that a key path names, and the key path, so that no other object has its identifier.
// Unchecked: as HashedKeyPath.
private struct KeptKeyPath: @unchecked Sendable {
    let keyPath: AnyKeyPath
    let key: Key<Value>
}

/// An optional of any type.
protocol OptionalType {
    var wrapped: Any? { get }
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    var wrapped: Any? { self.map { $0 as Any } }
    static var wrappedType: Any.Type { Wrapped.self }
}

/// Returns a value out of any number of optionals; `nil` where one is empty.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrapped.flatMap(unwrapped)
}
