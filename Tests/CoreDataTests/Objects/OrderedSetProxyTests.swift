import CoreData
import Testing

/// What `mutableOrderedSetValue(forKey:)` had given showed, after a change from the other side, the members that had been there before wherever
/// Foundation reads them by itself: in loops, `firstObject`, `array`, `set` and `reversed`.
@Suite("Ordered sets that write through")
struct OrderedSetProxyTests {
    private let context: NSManagedObjectContext
    private let album: NSManagedObject
    private let tracks: NSMutableOrderedSet

    init() throws {
        let (album, track) = (PeopleModel.entity("Album"), PeopleModel.entity("Track"))
        let tracks = PeopleModel.relationship("tracks", to: track, maxCount: 0)
        let owner = PeopleModel.relationship("album", to: album, maxCount: 1)
        tracks.isOrdered = true
        (tracks.inverseRelationship, owner.inverseRelationship) = (owner, tracks)
        album.properties = [tracks]
        track.properties = [PeopleModel.attribute("name", .stringAttributeType), owner]
        let model = NSManagedObjectModel()
        model.entities = [album, track]
        let context = try MemoryStack.context(of: model)
        self.context = context
        (self.album, self.tracks) = context.performAndWait {
            let album = NSEntityDescription.insertNewObject(forEntityName: "Album", into: context)
            return (album, album.mutableOrderedSetValue(forKey: "tracks"))
        }
    }

    @discardableResult
    private func add(_ name: String) -> NSManagedObject {
        let track = NSEntityDescription.insertNewObject(forEntityName: "Track", into: context)
        track.setValue(name, forKey: "name")
        track.setValue(album, forKey: "album")
        return track
    }

    private func names(_ objects: some Sequence) -> [String] {
        objects.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
    }

    @Test("Everything that reads it sees what was changed from the other side") func reading() {
        context.performAndWait {
            let (a, _, c) = (add("a"), add("b"), add("c"))
            let all = ["a", "b", "c"]
            #expect(tracks.count == 3)
            #expect(names(tracks) == all)
            #expect(names(tracks.array) == all)
            #expect(tracks.set.count == 3)
            #expect(names(tracks.reversed) == all.reversed())
            #expect(names(tracks.objectEnumerator()) == all)
            #expect(names(tracks.reverseObjectEnumerator()) == all.reversed())
            #expect(tracks.firstObject as? NSManagedObject === a)
            #expect(tracks.lastObject as? NSManagedObject === c)
            #expect(tracks.index(of: c) == 2)
            #expect(tracks.isEqual(NSOrderedSet(array: tracks.array)))
            #expect(names(tracks.sortedArray(using: [NSSortDescriptor(key: "name", ascending: false)])) == all.reversed())
            var enumerated: [Any] = []
            tracks.enumerateObjects { object, _, _ in enumerated.append(object) }
            #expect(names(enumerated) == all)
            context.delete(a)
            context.processPendingChanges()
            #expect(names(tracks) == ["b", "c"])
            #expect(names([tracks.firstObject as Any]) == ["b"])
        }
    }

    @Test("What is done to it is done to the object") func writing() {
        context.performAndWait {
            let (a, b, c) = (add("a"), add("b"), add("c"))
            func expect(_ expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
                #expect(names(tracks) == expected, sourceLocation: sourceLocation)
                #expect(names((album.value(forKey: "tracks") as? NSOrderedSet)?.array ?? []) == expected, sourceLocation: sourceLocation)
            }
            tracks.exchangeObject(at: 0, withObjectAt: 2)
            expect(["c", "b", "a"])
            tracks.sort(using: [NSSortDescriptor(key: "name", ascending: true)])
            expect(["a", "b", "c"])
            tracks.moveObjects(at: IndexSet(integer: 2), to: 0)
            expect(["c", "a", "b"])
            tracks.remove(a)
            expect(["c", "b"])
            tracks.insert(a, at: 1)
            expect(["c", "a", "b"])
            tracks.intersect(NSOrderedSet(array: [b, c]))
            expect(["c", "b"])
            tracks.addObjects(from: [c, a])
            expect(["c", "b", "a"])
            tracks.minus(NSOrderedSet(array: [c]))
            expect(["b", "a"])
            tracks[0] = c
            expect(["c", "a"])
            tracks.removeObject(at: 0)
            expect(["a"])
            tracks.removeAllObjects()
            expect([])
            #expect(tracks.firstObject == nil)
            #expect(a.value(forKey: "album") == nil)
        }
    }

    @Test("Members may be removed in a loop over it, and copies are of the moment") func loops() {
        context.performAndWait {
            for name in ["a", "b", "c"] { add(name) }
            let (copy, mutable) = (tracks.copy() as? NSOrderedSet, tracks.mutableCopy() as? NSMutableOrderedSet)
            for track in tracks { tracks.remove(track) }
            #expect(tracks.count == 0)
            #expect(copy?.count == 3)
            mutable?.removeObject(at: 0)
            #expect(mutable?.count == 2)
        }
    }
}
