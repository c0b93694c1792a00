#if Foundation
    public import Foundation
    public import StrataCoordinator
    import StrataFoundation
    import StrataGraph
    public import StrataModel
    public import StrataStore

    extension PersistentContainer {
        /// Opens the stores, or creates new ones; the container's contexts post their changes to a notification center.
        ///
        /// - Parameters:
        ///   - name: A name by which people distinguish containers.
        ///   - model: The model; stores that were made with another version of it are migrated by default.
        ///   - stores: Where the stores are.
        ///   - stages: The versions that older stores are migrated through first.
        ///   - instrumentation: The logger and the observers of the stores' work, migrations included; none by default.
        ///   - notificationCenter: The center of the contexts' notifications, such as
        ///     `ManagedObjectContext.didSaveObjectsNotification`.
        /// - Throws: `StoreError` of the first store that cannot be opened; the others are closed again then.
        public convenience init(
            name: String = "Strata", model: ManagedObjectModel, stores: [StoreDescription], stages: [MigrationStage] = [],
            instrumentation: StoreInstrumentation = StoreInstrumentation(), notificationCenter: NotificationCenter
        ) throws {
            try self.init(name: name, model: model, stores: stores, stages: stages, instrumentation: instrumentation) {
                $0.postNotifications(to: notificationCenter)
            }
        }
    }
#endif
