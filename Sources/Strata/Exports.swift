// What an application uses, by name: those who write stores import the rooms themselves. Rooms with operators are here whole, as an import by
// name leaves these out.
@_exported import StrataCoordinator
@_exported import StrataGraph
import StrataModel
@_exported import StrataQuery

@_exported import protocol StrataModel.ArithmeticValue
@_exported import struct StrataModel.Attribute
@_exported import class StrataModel.AttributeDescription
@_exported import enum StrataModel.AttributeType
@_exported import enum StrataModel.DeleteRule
@_exported import struct StrataModel.Entity
@_exported import enum StrataModel.EntityBuilder
@_exported import struct StrataModel.EntityConfiguration
@_exported import class StrataModel.EntityDescription
@_exported import protocol StrataModel.EntityElement
@_exported import struct StrataModel.EntityIndex
@_exported import struct StrataModel.FetchIndex
@_exported import struct StrataModel.FetchIndexDescription
@_exported import struct StrataModel.FetchTemplate
@_exported import struct StrataModel.FetchedProperty
@_exported import class StrataModel.ManagedObjectModel
@_exported import enum StrataModel.ModelBuilder
@_exported import protocol StrataModel.ModelElement
@_exported import struct StrataModel.ModelError
@_exported import struct StrataModel.ObjectID
@_exported import enum StrataModel.PropertyDescription
@_exported import protocol StrataModel.PropertyValue
@_exported import struct StrataModel.Relationship
@_exported import class StrataModel.RelationshipDescription
@_exported import struct StrataModel.SortElement
@_exported import struct StrataModel.StoreID
@_exported import protocol StrataModel.TextualValue
@_exported import struct StrataModel.UnavailableValue
@_exported import struct StrataModel.Unique
@_exported import struct StrataModel.UniquenessConstraint
@_exported import enum StrataModel.ValidationRule
@_exported import enum StrataModel.Value
@_exported import protocol StrataModel.ValueConvertible
@_exported import struct StrataModel.ValueTransformer
@_exported import protocol StrataStore.PersistentStore
@_exported import struct StrataStore.PlanExplanation
@_exported import enum StrataStore.PropertyListValue
@_exported import struct StrataStore.ServerAddress
@_exported import struct StrataStore.StoreCapabilities
@_exported import struct StrataStore.StoreConflict
@_exported import struct StrataStore.StoreDescription
@_exported import protocol StrataStore.StoreDriver
@_exported import struct StrataStore.StoreError
@_exported import enum StrataStore.StoreLocation
@_exported import struct StrataStore.StoreMetadata
@_exported import struct StrataStore.StoreOptions
@_exported import struct StrataStore.StoreProblem
@_exported import struct StrataStore.StoreType
@_exported import struct StrataStore.TransactionOrigin
@_exported import struct StrataStore.TransactionToken
@_exported import struct StrataText.TextOptions
