import type { AnyKind } from '../kind/define-kind.ts'
import { type AdmissionPolicy, type PolicyValidation, writesOf } from './admission-policy.ts'
import { celDecides, celHas } from './cel-text.ts'

/** A field that names a Secret of the object's own namespace. */
interface SecretField {
  /** The path of the field in the object, such as `spec.secretRef.name`. */
  readonly path: string
  /** The field that holds the kind of the object that `path` names. If omitted, `path` always names a Secret. */
  readonly kindPath?: string
  /**
   * The list whose items have the field. Each of its `maxItems` costs two checks, and the cost limit of a policy allows
   * about 28.
   */
  readonly list?: {
    readonly path: string
    /** How many items can name a Secret. */
    readonly maxItems: number
    /** Only items that have this member name a Secret. If omitted, all do. */
    readonly having?: string
  }
}

/** A reference to one Secret: a field, or an item of a list. */
interface Reference {
  /** As messages call it: `spec.secrets[0].name`. */
  readonly path: string
  name(root: string): string
  namesSecret(root: string): string
  /** Whether the object still names the Secret that the old object names. */
  readonly isKept: string
}

export interface SecretAccess {
  readonly secrets: readonly SecretField[]
  /**
   * Fields that decide which Secret is used, where its content is sent and what may be done with it. A change of any of
   * them is checked; a change of anything else is not.
   */
  readonly decisive: readonly string[]
  /** The other fields. Together with `decisive` they are the whole spec. */
  readonly harmless: readonly string[]
  readonly additional?: readonly PolicyValidation[]
}

/**
 * A policy that requires the right to get a Secret from a user who refers to it in an object of the kind, changes what
 * it is used for, or replaces the reference. Other objects refer to the object by name and rely on its credential.
 */
export function secretAccessPolicy(
  kind: Pick<AnyKind, 'group' | 'plural' | 'scope' | 'kind'>,
  { secrets, decisive, additional = [] }: SecretAccess,
): AdmissionPolicy {
  const references = secrets.flatMap(referencesOf)
  return {
    name: `${kind.plural}.${kind.group}`,
    description: `A user who names a Secret in a ${kind.kind}, replaces it, or changes where its content is sent must be allowed to get that Secret.`,
    appliesTo: 'everywhere',
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: writesOf([kind]),
      variables: [{ name: 'decides', expression: celDecides(decisive) }],
      validations: [
        ...references.map(mayGetNamed),
        ...references.map(mayGetReplaced),
        ...additional,
      ],
    },
  }
}

function referencesOf(field: SecretField): readonly Reference[] {
  const { path, list } = field
  if (list === undefined) {
    const namesSecret = (root: string) => namesField(root, field)
    const isKept = `${namesSecret('object')} && object.${path} == oldObject.${path}`
    return [{ path, name: (root) => `${root}.${path}`, namesSecret, isKept }]
  }
  const member = path.slice(list.path.length + 1)
  const { having } = list
  const has = having === undefined ? '' : `has(one.${having}) && `
  const items = (root: string) =>
    having === undefined
      ? `${root}.${list.path}`
      : `${root}.${list.path}.filter(one, has(one.${having}))`
  return Array.from({ length: list.maxItems }, (_, at) => {
    const name = (root: string) => `${items(root)}[${at}].${member}`
    return {
      // Which item of the whole list it is cannot be said without counting those that name no Secret.
      path: having === undefined ? `${list.path}[${at}].${member}` : `${list.path}[*].${member}`,
      name,
      namesSecret: (root) => `${celHas(root, list.path)} && size(${items(root)}) > ${at}`,
      isKept: `${celHas('object', list.path)} && object.${list.path}.exists(one, ${has}one.${member} == ${name('oldObject')})`,
    }
  })
}

function mayGetNamed(reference: Reference): PolicyValidation {
  const { path } = reference
  const name = reference.name('object')
  return {
    expression: `!variables.decides || !(${reference.namesSecret('object')}) || ${mayGet(name)}`,
    message: `${path}: you may not get the Secret that it names`,
    messageExpression: forbiddenMessage(path, name, "''"),
    reason: 'Forbidden',
  }
}

/**
 * Checks the Secret that the object named before an update. It is a validation of its own, because Kubernetes charges
 * 350,000 cost units for each authorizer check and allows 1,000,000 for an expression. It makes no check if the
 * reference did not change, which `mayGetNamed` covers.
 */
function mayGetReplaced(reference: Reference): PolicyValidation {
  const { path, isKept } = reference
  const before = reference.name('oldObject')
  return {
    expression: `request.operation != 'UPDATE' || !variables.decides || !(${reference.namesSecret('oldObject')}) || ${isKept} || ${mayGet(before)}`,
    message: `${path}: you may not get the Secret that it named before`,
    messageExpression: forbiddenMessage(path, before, "', which it named before'"),
    reason: 'Forbidden',
  }
}

function namesField(root: string, { path, kindPath }: SecretField): string {
  if (kindPath === undefined) return celHas(root, path)
  return `${celHas(root, path)} && ${celHas(root, kindPath)} && ${root}.${kindPath} == 'Secret'`
}

function mayGet(name: string): string {
  return `authorizer.group('').resource('secrets').namespace(request.namespace).name(${name}).check('get').allowed()`
}

function forbiddenMessage(path: string, name: string, which: string): string {
  return `'${path}: ' + request.userInfo.username + ' may not get the Secret ' + ${name} + ' in the namespace ' + request.namespace + ${which} + '; grant the user get on that Secret, or have a user with that right make this change'`
}
