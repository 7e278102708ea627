import { authorizerType, resourceCheckType } from '../library/authorizer/authorizer-values.ts'
import {
  type Environment,
  kubernetesEnvironment,
  type MessageType,
  withLibrary,
} from '../library/environment.ts'
import {
  dynType,
  listType,
  mapType,
  type StructFields,
  structType,
  type Type,
} from '../type/type.ts'
import { CelError } from '../value/value.ts'
import { patchLibrary, patchMessage } from './patch-messages.ts'
import { declaredFields, namespaceType, requestType, variablesType } from './policy-declarations.ts'

/** The types of the variables of a policy's expressions. */
interface PolicyScope {
  /** The type of `object` and `oldObject`. */
  readonly object: Type
  /** Undefined if the policy has no parameters. */
  readonly params: Type | undefined
  readonly authorizer: 'none' | 'whole' | 'without-request-resource'
  /** The types of the policy's variables so far; undefined if there is no variable `variables`. */
  readonly variables: ReadonlyMap<string, Type> | undefined
  /** The fields of the types of `object` and `params`. */
  readonly fields?: StructFields
}

export function policyEnvironment(scope: PolicyScope): Environment {
  const variables = new Map<string, Type>([
    ['object', scope.object],
    ['oldObject', scope.object],
    ['request', requestType],
    ['namespaceObject', namespaceType],
  ])
  const declared = new Map(declaredFields)
  if (scope.variables !== undefined) {
    variables.set('variables', variablesType)
    declared.set(variablesType.name, scope.variables)
  }
  if (scope.params !== undefined) variables.set('params', scope.params)
  if (scope.authorizer !== 'none') variables.set('authorizer', authorizerType)
  if (scope.authorizer === 'whole') variables.set('authorizer.requestResource', resourceCheckType)
  const fields = new Map([...(scope.fields ?? []), ...declared])
  const messages = (name: string) => declaredMessage(name, declared)
  return { ...kubernetesEnvironment(variables, fields), messages }
}

/** The environment of a mutation, which can also construct patches. */
export function withPatches(environment: Environment): Environment {
  const messages = (name: string) => patchMessage(name) ?? environment.messages?.(name)
  return withLibrary({ ...environment, messages }, patchLibrary)
}

/** The type of a variable in the expressions that use it: scalars, lists and maps of scalars keep theirs. */
export function declarableType(type: Type | undefined): Type {
  switch (type?.kind) {
    case 'bool':
    case 'bytes':
    case 'double':
    case 'duration':
    case 'int':
    case 'null':
    case 'string':
    case 'timestamp':
    case 'uint':
      return type
    case 'list':
      return listType(declarableType(type.params[0]))
    case 'map':
      return mapType(declarableType(type.params[0]), declarableType(type.params[1]))
    default:
      return dynType
  }
}

/** The message type of a variable's type. An expression can name such a type but not construct its values. */
function declaredMessage(name: string, fields: StructFields): MessageType | undefined {
  const declared = fields.get(name)
  if (declared === undefined) return undefined
  return {
    type: structType(name),
    fieldType: (field) => declared.get(field),
    create: () => new CelError(`unknown type '${name}'`),
  }
}
