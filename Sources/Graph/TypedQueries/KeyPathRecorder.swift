import StrataModel
import StrataQuery
import Synchronization

/// The reads of one evaluation of a key path from its probes.
final class KeyPathRecorder: Sendable {
    /// The recorder of this task's evaluation.
    @TaskLocal static var current: KeyPathRecorder?

    private struct State {
        /// The path of each probe by the reference of its ID; the first is the root.
        var probes = [Probe(path: "", isElement: false)]
        var reads: [Read] = []
        var runs = 1
        var typeWithoutSample: String?
        var elementTypesWithoutSample: [Any.Type] = []
    }

    private struct Probe {
        let path: String
        /// Whether it is one of several at its path.
        let isElement: Bool
    }

    private struct Read {
        let path: String
        let result: Result
    }

    private enum Result {
        case value(Value)
        case composite([String: Value], transformers: [String: ValueTransformer])
        case object
        /// An object that is not managed.
        case reference(ObjectIdentifier)
        case collection([Int64], isOrdered: Bool)
        case none
    }

    private let state = Mutex(State())
    private let run: Int
    /// The path of the property that reads as nil this time.
    private let withoutValue: String?

    init(run: Int, withoutValue: String?) {
        self.run = run
        self.withoutValue = withoutValue
    }

    var paths: [String] { state.withLock { $0.reads.map(\.path) } }
    /// The number of evaluations that try all samples.
    var runs: Int { state.withLock { $0.runs } }
    var typeWithoutSample: String? { state.withLock { $0.typeWithoutSample } }
    /// The types of the elements that are as in a new value.
    var elementTypesWithoutSample: [Any.Type] { state.withLock { $0.elementTypesWithoutSample } }

    /// Evaluates a key path on a new probe.
    func read(_ keyPath: AnyKeyPath, of type: ManagedObject.Type) -> Any? {
        guard let probe = probe(0, of: type) else { return nil }
        return KeyPathRecorder.$current.withValue(self) { (probe as Any)[keyPath: keyPath].flatMap(unwrapped) }
    }

    /// Returns the paths of a result: the property of the sample, or the object of the probe; several where elements of
    /// a composite value share a sample in this evaluation.
    func paths(of result: Any) -> Set<String> {
        switch result {
        case let composite as any CompositeValue: paths(ofComposite: composite)
        case let convertible as any ValueConvertible where !(result is ObjectID): paths(ofSample: convertible.value)
        default: Set([path(of: result)].compactMap(\.self)).union(paths(ofEncoded: result))
        }
    }

    /// Returns the elements of the composite value that was read whose sample a result of a `Codable` type is.
    private func paths(ofEncoded result: Any) -> Set<String> {
        let last = state.withLock { $0.reads.last }
        guard let last, case .composite(let samples, let transformers) = last.result else { return [] }
        let found = transformers.filter { path, transformer in
            guard let bytes = try? transformer.data(from: result) else { return false }
            return samples[path] == .data(bytes)
        }
        return Set(found.keys.map { last.path + "." + $0 })
    }

    private func path(of result: Any) -> String? {
        switch result {
        case let object as ManagedObject: KeyPathProbe.isProbe(object) ? path(ofProbe: object.objectID) : nil
        case let id as ObjectID: path(ofProbe: id)
        case let enumeration as any RawRepresentable:
            (enumeration.rawValue as? any ValueConvertible).flatMap { paths(ofSample: $0.value).first }
        case let set as Set<ManagedObject>: path(ofCollection: set.map(\.objectID.reference), isOrdered: false)
        case let array as [ManagedObject]: path(ofCollection: array.map(\.objectID.reference), isOrdered: true)
        default: path(ofReference: ObjectIdentifier(result as AnyObject))
        }
    }

    private func path(ofReference reference: ObjectIdentifier) -> String? {
        state.withLock { state in
            if let last = state.reads.last, case .reference(reference) = last.result { last.path } else { nil }
        }
    }

    private func path(ofProbe id: ObjectID) -> String? {
        state.withLock { state in
            guard id.scope == KeyPathProbe.scope, state.probes.indices.contains(Int(id.reference)) else { return nil }
            let probe = state.probes[Int(id.reference)]
            return probe.isElement ? nil : probe.path
        }
    }

    private func paths(ofSample value: Value) -> Set<String> {
        state.withLock { state in
            guard let last = state.reads.last else { return [] }
            switch last.result {
            case .value(let sample): return sample == value ? [last.path] : []
            case .composite(let samples, _): return Set(samples.filter { $0.value == value }.map { last.path + "." + $0.key })
            default: return []
            }
        }
    }

    private func paths<C: CompositeValue>(ofComposite composite: C) -> Set<String> {
        var values: [String: Value] = [:]
        guard (try? composite.add(to: &values, behind: "")) != nil else { return [] }
        return state.withLock { state in
            guard let last = state.reads.last, case .composite(let samples, _) = last.result else { return [] }
            // It is the value that was read, or one of its elements, at any depth.
            var beginnings: Set<String> = [""]
            for path in samples.keys { beginnings.formUnion(path.indices.filter { path[$0] == "." }.map { path[...$0] }.map(String.init)) }
            let found = beginnings.filter { beginning in
                let own = samples.filter { $0.key.hasPrefix(beginning) }
                return own.allSatisfy { values[String($0.key.dropFirst(beginning.count))] == $0.value }
            }
            return Set(found.map { $0.isEmpty ? last.path : last.path + "." + $0.dropLast() })
        }
    }

    private func path(ofCollection references: [Int64], isOrdered: Bool) -> String? {
        state.withLock { state in
            guard let last = state.reads.last, case .collection(let members, let areOrdered) = last.result else { return nil }
            // Probes are numbered on creation, so the members are in the order of their numbers.
            return members == (isOrdered && areOrdered ? references : references.sorted()) ? last.path : nil
        }
    }
}

// MARK: - Samples

extension KeyPathRecorder {
    func sample<V: ValueConvertible>(_ key: Key<V>, of probe: ManagedObject) -> V? {
        sample(key.path, of: probe, SampleValues.samples(of: V.self)) { $0.value }
    }

    /// Returns a case of an enumeration that is stored by its raw values.
    func sample<V: RawRepresentable>(rawValueOf key: Key<V>, of probe: ManagedObject) -> V? where V.RawValue: ValueConvertible {
        sample(key.path, of: probe, SampleValues.cases(of: V.self)) { $0.rawValue.value }
    }

    /// Returns a composite value whose elements have samples, such that no two have the same ones in all evaluations.
    func sample<C: CompositeValue>(_ key: Key<C>, of probe: ManagedObject) -> C? {
        guard let path = path(key.path, of: probe) else { return nil }
        if path == withoutValue { return note(path, .none) }
        var values: [String: Value] = [:]
        var transformers: [String: ValueTransformer] = [:]
        for (index, element) in C.types(behind: "").enumerated() {
            let samples = SampleValues.stored(element.type, element.transformer)
            if samples.isEmpty {
                state.withLock { $0.elementTypesWithoutSample.append(element.type) }
                continue
            }
            transformers[element.path] = element.transformer
            // The digits of its number distinguish an element; the number of the evaluation makes each try all samples.
            var digits = index
            for _ in 0..<run { digits /= samples.count }
            values[element.path] = samples[(digits + run) % samples.count]
            state.withLock { $0.runs = max($0.runs, samples.count, 8) }
        }
        note(path, .composite(values, transformers: transformers))
        return C(values, behind: "")
    }

    func noteWithoutSample<V>(_ key: Key<V>, of probe: ManagedObject) { let _: V? = sample(key.path, of: probe, []) { _ in .null } }

    private func sample<V>(_ name: String, of probe: ManagedObject, _ samples: [V], value: (V) -> Value) -> V? {
        guard let path = path(name, of: probe) else { return nil }
        if path == withoutValue { return note(path, .none) }
        guard !samples.isEmpty else {
            state.withLock { $0.typeWithoutSample = "\(V.self)" }
            return note(path, .none)
        }
        let sample = samples[run % samples.count]
        state.withLock { $0.runs = max($0.runs, samples.count) }
        note(path, .value(value(sample)))
        return sample
    }

    func sampleObject<T: AnyObject>(_ name: String, of probe: ManagedObject, _ make: () -> T) -> T? {
        guard let path = path(name, of: probe) else { return nil }
        if path == withoutValue { return note(path, .none) }
        let sample = make()
        note(path, .reference(ObjectIdentifier(sample)))
        return sample
    }

    func destination<D: ManagedObject>(_ key: ToOne<D>, of probe: ManagedObject) -> D? {
        guard let path = path(key.path, of: probe) else { return nil }
        if path == withoutValue { return note(path, .none) }
        note(path, .object)
        return newProbe(path, isElement: false)
    }

    /// Returns two destinations, so that sorting compares something.
    func destinations<D: ManagedObject>(_ name: String, isOrdered: Bool, of probe: ManagedObject) -> [D] {
        guard let path = path(name, of: probe) else { return [] }
        let destinations: [D] = (0..<2).compactMap { _ in newProbe(path, isElement: true) }
        note(path, .collection(destinations.map(\.objectID.reference), isOrdered: isOrdered))
        return destinations
    }

    @discardableResult
    private func note<T>(_ path: String, _ result: Result) -> T? {
        state.withLock { $0.reads.append(Read(path: path, result: result)) }
        return nil
    }

    private func note(_ path: String, _ result: Result) { state.withLock { $0.reads.append(Read(path: path, result: result)) } }

    /// Returns the path of a probe's property; none from an element of a collection, which could not be recognised.
    private func path(_ name: String, of probe: ManagedObject) -> String? {
        state.withLock { state in
            guard state.probes.indices.contains(Int(probe.objectID.reference)) else { return nil }
            let start = state.probes[Int(probe.objectID.reference)]
            let prefix = start.isElement ? start.path + "[element]" : start.path
            return prefix.isEmpty ? name : prefix + "." + name
        }
    }

    private func newProbe<D: ManagedObject>(_ path: String, isElement: Bool) -> D? {
        let reference = state.withLock { state in
            state.probes.append(Probe(path: path, isElement: isElement))
            return state.probes.count - 1
        }
        return probe(Int64(reference), of: D.self) as? D
    }

    private func probe(_ reference: Int64, of type: ManagedObject.Type) -> ManagedObject? {
        KeyPathProbe.scope.map { type.init(ObjectOrigin(ObjectID(scope: $0, reference: reference))) }
    }
}
