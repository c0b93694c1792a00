public import StrataModel
public import StrataQuery
import Synchronization

/// Finds the name of the property that a key path of a managed object references.
///
/// The text of a class's key path does not hold the name on Linux, so the key path is read from a probe: an object
/// outside any context whose typed keys record their reads and return sample values. The key path references a property
/// when it returns the sample, for each of several samples, which a computed property does not.
package enum KeyPathProbe {
    /// Returns the path of the property, empty for the object itself; throws `QueryError` with `computedProperty` where
    /// the key path does not reference a property with a typed key.
    package static func path(of keyPath: AnyKeyPath) throws(QueryError) -> String {
        let key = HashedKeyPath(keyPath: keyPath)
        if let known = cache.withLock({ $0[key] }) { return try known.get() }
        let found: Result<String, QueryError>
        do throws(QueryError) { found = .success(try probe(keyPath)) } catch { found = .failure(error) }
        cache.withLock { $0[key] = found }
        return try found.get()
    }

    private static let cache = Mutex<[HashedKeyPath: Result<String, QueryError>]>([:])

    /// Returns the key of the property; without one, its name is the reason.
    ///
    /// A key path in the source is one object, which is found faster than by hashing its components.
    static func key(of keyPath: AnyKeyPath) -> Key<Value> {
        if let known = keys.withLock({ $0[ObjectIdentifier(keyPath)]?.key }) { return known }
        let key = Key<Value>(QueryExpression.path(of: keyPath))
        // Key paths that are made at run time are distinct objects: not all of them are cached.
        keys.withLock { if $0.count < 4_096 { $0[ObjectIdentifier(keyPath)] = CachedKeyPath(keyPath: keyPath, key: key) } }
        return key
    }

    private static let keys = Mutex<[ObjectIdentifier: CachedKeyPath]>([:])

    private static func probe(_ keyPath: AnyKeyPath) throws(QueryError) -> String {
        guard let type = type(of: keyPath).rootType as? ManagedObject.Type
        else { throw refusal(keyPath, "it does not start at a managed object") }
        if let declared = type.entityDeclaration?.properties.first(where: { $0.keyPath.map { $0 as AnyKeyPath } == keyPath }) {
            return declared.name
        }
        if let path = DescribedKeyPath.path(of: keyPath, type) { return path }
        let first = try read(keyPath, of: type, run: 0)
        var paths = first.paths
        for run in 1..<max(1, first.runs) {
            paths.formIntersection(try read(keyPath, of: type, run: run).paths)
            if paths.isEmpty { throw refusal(keyPath, "it is computed") }
        }
        guard let path = paths.first, paths.count == 1
        else { throw refusal(keyPath, "nothing tells \(paths.sorted().joined(separator: " from ")): name the element by its typed key") }
        // An optional property is nil when its key is; behind a step it may be unwrapped by force: that is not tried.
        if Swift.type(of: keyPath).valueType is any OptionalType.Type, !path.isEmpty, !path.contains(".") {
            let recorder = KeyPathRecorder(run: 0, withoutValue: path)
            let result = recorder.read(keyPath, of: type)
            guard result == nil, recorder.paths == [path] else { throw refusal(keyPath, "it is computed, from \(path) and more") }
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
            let valueType = Swift.type(of: keyPath).valueType
            let elementType = (valueType as? any OptionalType.Type)?.wrappedType ?? valueType
            if recorder.elementTypesWithoutSample.contains(where: { $0 == elementType }) {
                throw refusal(keyPath, "there is no sample of the type \(elementType): name the element by its typed key")
            }
            if read.isEmpty { throw refusal(keyPath, "it reads no typed key") }
            throw refusal(keyPath, "it is computed, from \(read.joined(separator: ", "))")
        }
        // Reads along the path to the property reference it.
        guard found.contains(where: { path in read.allSatisfy { path == $0 || path.hasPrefix($0 + ".") } })
        else { throw refusal(keyPath, "it is computed, from \(read.joined(separator: ", "))") }
        return (found, recorder.runs)
    }

    private static func refusal(_ keyPath: AnyKeyPath, _ why: String) -> QueryError {
        let type = type(of: keyPath)
        return QueryError(
            .computedProperty, entity: "\(type.rootType)", subject: "\(keyPath)",
            "of type \(type.valueType), it references no stored property of \(type.rootType): \(why)")
    }

    /// The scope of all probes; never `nil`, as the model is valid.
    static var scope: ObjectIDScope? { unattached?.scope }

    private static let unattached = (try? ManagedObjectModel { Entity("probe") { Attribute("probe", .undefined).transient } })
        .flatMap { UnattachedScope($0, "probe") }

    static func isProbe(_ object: ManagedObject) -> Bool { object.managedObjectContext == nil && object.objectID.scope == scope }

    /// Returns the slot of any attribute of a probe: one that a row never holds.
    static func propertySlot(in object: ManagedObject) -> PropertySlot? { isProbe(object) ? object.entity.propertySlots.first : nil }
}

extension ManagedObject {
    /// Returns a probe's sample of an attribute; `nil` for any other object.
    @usableFromInline
    final func sample<V: ValueConvertible>(_ key: Key<V>) -> V? {
        KeyPathProbe.isProbe(self) ? KeyPathRecorder.current?.sample(key, of: self) : nil
    }

    /// Returns a probe's sample for a property with objects of another kind; `nil` for any other object.
    package final func sampleObject<T: AnyObject>(_ name: String, _ make: () -> T) -> T?? {
        guard KeyPathProbe.isProbe(self) else { return nil }
        return .some(KeyPathRecorder.current?.sampleObject(name, of: self, make))
    }

    /// Returns a probe's sample of a to-one relationship.
    ///
    /// - Precondition: The object is a probe.
    final func sample<D: ManagedObject>(_ key: ToOne<D>) -> D? {
        guard KeyPathProbe.isProbe(self) else { programmerError("\(entity.name) has no to-one relationship \(key.path)") }
        return KeyPathRecorder.current?.destination(key, of: self)
    }

    /// Returns a probe's samples of a to-many relationship.
    final func samples<D: ManagedObject>(_ path: String, isOrdered: Bool) -> [D] {
        KeyPathRecorder.current?.destinations(path, isOrdered: isOrdered, of: self) ?? []
    }
}

/// A key path as a key of a shared dictionary.
// Unchecked: a key path is immutable; one with arguments, which need not be Sendable, is only compared and hashed.
private struct HashedKeyPath: Hashable, @unchecked Sendable {
    let keyPath: AnyKeyPath
}

/// A cached key and its key path, which is retained so that its identifier stays unique.
// Unchecked: as HashedKeyPath.
private struct CachedKeyPath: @unchecked Sendable {
    let keyPath: AnyKeyPath
    let key: Key<Value>
}

protocol OptionalType {
    var wrapped: Any? { get }
    static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
    var wrapped: Any? { self.map { $0 as Any } }
    static var wrappedType: Any.Type { Wrapped.self }
}

func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrapped.flatMap(unwrapped)
}
