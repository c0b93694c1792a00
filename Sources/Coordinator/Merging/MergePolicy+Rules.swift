package import StrataModel

/// The effect of the resolutions of conflicts, for saves and batch inserts.
///
/// The side that wins, of the object to be saved and the store, or of the new object and the other one:
///
/// | conflict | error | store trump | object trump | overwrite | rollback | values |
/// |---|---|---|---|---|---|---|
/// | changed here and in the store | refused | store | object | object | store | store |
/// | changed here alone | refused | object | object | object | store | store |
/// | changed in the store alone | refused | store | store | object | store | store |
/// | deleted on one side | refused | store | object | object | store | object |
/// | unique values: an attribute | refused | other | new, where given | new | other | other |
/// | unique values: a destination | refused | other | new, where there is one | new | other | other |
/// | unique values: members | refused | move | move | move | are let go | move |
///
/// Under `values` those that the policy names come last, over what the table says. Where a batch insert and a save
/// differ, it is in what the new object is: a row of a batch insert has no relationships, and no context holds it, so
/// that store trump and rollback just leave it out, also where it collides with several others or with one of another
/// entity. A save refuses these (a new object can become part of one of its own entity or a descendant of it): a
/// context that holds the new object continues with the other one.
extension MergePolicy.Resolution {
    /// The treatment of a new object with the unique values of another one.
    enum Collision: Sendable {
        case refused
        case keepsOther
        /// The other one gets values.
        case changesOther
    }

    var onCollision: Collision {
        switch self {
        case .error: .refused
        case .mergeByPropertyStoreTrump, .rollback: .keepsOther
        case .mergeByPropertyObjectTrump, .overwrite, .values: .changesOther
        }
    }

    /// Returns whether a new object's attribute goes over that of the one with the same unique values.
    ///
    /// - Parameter isGiven: Whether the value was set, possibly to nil; a default was not.
    package func takesAttribute(isGiven: Bool) -> Bool {
        switch self {
        case .overwrite: true
        case .mergeByPropertyObjectTrump: isGiven
        case .error, .rollback, .mergeByPropertyStoreTrump, .values: false
        }
    }

    /// Returns whether a new object's partner or owner replaces that of the one with the same unique values.
    package func takesDestination(isNull: Bool) -> Bool { takesAttribute(isGiven: !isNull) }

    /// Whether the members of a new object's to-many relationships move to the one with the same unique values.
    package var takesMembers: Bool {
        switch self {
        case .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .values: true
        case .error, .rollback: false
        }
    }

    /// Whether the store's side wins where one side deleted the object.
    package var keepsStore: Bool {
        switch self {
        case .error, .rollback, .mergeByPropertyStoreTrump: true
        case .mergeByPropertyObjectTrump, .overwrite, .values: false
        }
    }

    /// Returns whether the store's value replaces a change made here.
    package func forgetsChange(changedInStore isChangedInStore: Bool) -> Bool {
        switch self {
        case .error, .mergeByPropertyObjectTrump, .overwrite: false
        case .mergeByPropertyStoreTrump: isChangedInStore
        case .rollback, .values: true
        }
    }

    /// The values that the policy itself gives, by name.
    package var givenValues: [String: Value] { if case .values(let values) = self { values } else { [:] } }
}
