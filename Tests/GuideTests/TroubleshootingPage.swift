import Strata

/// The code of the guide "Troubleshooting".
enum TroubleshootingPage {
    static func save(_ context: ManagedObjectContext) throws {
        do {
            try context.save()
        } catch let error as StoreError where error.recovery == .retryable {
            try context.save()
        } catch let error as SaveConflictError {
            for conflict in error.conflicts {
                context.refresh(context.object(with: conflict.objectID), mergeChanges: true)
            }
            try context.save()
        }
    }
}
