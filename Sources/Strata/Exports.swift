// What an application uses, by name: those who write stores import the modules themselves. Modules with operators are here whole, as an import
// by name leaves these out. No public declaration here names a type that is not: see `.ci/exports`.
@_exported public import StrataCoordinator
@_exported public import StrataGraph
@_exported public import StrataQuery

@_exported public import enum StrataEvaluation.QueryFunctionTable
@_exported public import struct StrataFiles.FileError
@_exported public import enum StrataFiles.FileOperation
@_exported public import protocol StrataModel.ArithmeticValue
@_exported public import struct StrataModel.Attribute
@_exported public import typealias StrataModel.AttributeBuilder
@_exported public import class StrataModel.AttributeDescription
@_exported public import enum StrataModel.AttributeType
@_exported public import class StrataModel.CompositeAttributeDescription
@_exported public import enum StrataModel.CompositeElementDescription
@_exported public import struct StrataModel.CompositeRequirement
@_exported public import struct StrataModel.DecimalNumber
@_exported public import enum StrataModel.DeleteRule
@_exported public import struct StrataModel.Entity
@_exported public import typealias StrataModel.EntityBuilder
@_exported public import struct StrataModel.EntityConfiguration
@_exported public import class StrataModel.EntityDescription
@_exported public import protocol StrataModel.EntityElement
@_exported public import struct StrataModel.EntityIndex
@_exported public import struct StrataModel.EntityMapping
@_exported public import typealias StrataModel.EntityMappingBuilder
@_exported public import struct StrataModel.FetchIndex
@_exported public import struct StrataModel.FetchIndexDescription
@_exported public import struct StrataModel.FetchTemplate
@_exported public import struct StrataModel.FetchedProperty
@_exported public import enum StrataModel.GeneratedValue
@_exported public import enum StrataModel.LinkSide
@_exported public import struct StrataModel.LinkTable
@_exported public import enum StrataModel.ListBuilder
@_exported public import class StrataModel.ManagedObjectModel
@_exported public import struct StrataModel.MappingError
@_exported public import struct StrataModel.MappingModel
@_exported public import struct StrataModel.MigrationPlan
@_exported public import typealias StrataModel.ModelBuilder
@_exported public import protocol StrataModel.ModelElement
@_exported public import struct StrataModel.ModelError
@_exported public import struct StrataModel.ObjectID
@_exported public import struct StrataModel.ObjectIDScope
@_exported public import struct StrataModel.OrderKey
@_exported public import enum StrataModel.PropertyDescription
@_exported public import enum StrataModel.PropertyListValue
@_exported public import struct StrataModel.PropertyMapping
@_exported public import typealias StrataModel.PropertyMappingBuilder
@_exported public import struct StrataModel.PropertySlot
@_exported public import protocol StrataModel.PropertyValue
@_exported public import struct StrataModel.Relationship
@_exported public import class StrataModel.RelationshipDescription
@_exported public import struct StrataModel.Row
@_exported public import class StrataModel.RowChunk
@_exported public import struct StrataModel.RowLayout
@_exported public import struct StrataModel.RowSlot
@_exported public import struct StrataModel.Slot
@_exported public import struct StrataModel.SlotDescription
@_exported public import enum StrataModel.SlotKind
@_exported public import struct StrataModel.SortElement
@_exported public import struct StrataModel.StoreID
@_exported public import protocol StrataModel.TextualValue
@_exported public import struct StrataModel.UnavailableValue
@_exported public import struct StrataModel.Unique
@_exported public import struct StrataModel.UniquenessConstraint
@_exported public import enum StrataModel.ValidationRule
@_exported public import enum StrataModel.Value
@_exported public import protocol StrataModel.ValueConvertible
@_exported public import struct StrataModel.ValueTransformer
@_exported public import struct StrataStore.ConnectionPoolStatus
@_exported public import struct StrataStore.ConnectionUse
@_exported public import enum StrataStore.HistoryChangeKind
@_exported public import struct StrataStore.HistoryOrigin
@_exported public import struct StrataStore.HistoryPolicy
@_exported public import struct StrataStore.MigrationProgress
@_exported public import struct StrataStore.ObjectReference
@_exported public import protocol StrataStore.PersistentStore
@_exported public import struct StrataStore.PlanExplanation
@_exported public import struct StrataStore.ServerAddress
@_exported public import struct StrataStore.StoreCapabilities
@_exported public import struct StrataStore.StoreCondition
@_exported public import struct StrataStore.StoreConflict
@_exported public import struct StrataStore.StoreDescription
@_exported public import protocol StrataStore.StoreDriver
@_exported public import struct StrataStore.StoreError
@_exported public import enum StrataStore.StoreLocation
@_exported public import struct StrataStore.StoreMetadata
@_exported public import struct StrataStore.StoreOptions
@_exported public import struct StrataStore.StoreProblem
@_exported public import struct StrataStore.StoreType
@_exported public import struct StrataStore.TransactionOrigin
@_exported public import enum StrataText.Ordering
@_exported public import struct StrataText.TextOptions

#if Foundation
    @_exported public import StrataFoundation
#endif
