import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import { labelName } from '../../metadata/name-rules.ts'
import { forbiddenValue, invalidValue, requiredValue, tooLong } from '../../status/field-errors.ts'
import { type Fields, ownPart, part, text, texts } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { keyPairError } from '../validation/key-pair.ts'
import { dataKey, immutable, maxDataBytes } from '../validation/value-errors.ts'

const frozen = 'field is immutable when `immutable` is set'

export const configMapRules: KindRules = {
  changeFirst: true,
  validate(configMap) {
    const data = part(configMap, 'data')
    const binary = part(configMap, 'binaryData')
    const errors = [...keyErrors(data, 'data'), ...keyErrors(binary, 'binaryData')]
    for (const key of Object.keys(data)) {
      if (Object.hasOwn(binary, key)) {
        errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
      }
    }
    let bytes = decodedBytes(binary)
    for (const value of Object.values(data)) bytes += Buffer.byteLength(String(value))
    if (bytes > maxDataBytes) errors.push(tooLong('[]', maxDataBytes))
    return errors
  },
  validateUpdate: (next, old) => frozenErrors(next, old, ['data', 'binaryData']),
}

export const secretRules: KindRules = {
  changeFirst: true,
  prepareForUpdate(next, old) {
    // The type can be omitted in an update.
    if (text(next, 'type') === '') next.type = old.type
  },
  validate(secret) {
    const data = part(secret, 'data')
    const errors = keyErrors(data, 'data')
    if (decodedBytes(data) > maxDataBytes) errors.push(tooLong('data', maxDataBytes))
    return [...errors, ...typeErrors(secret, data)]
  },
  validateUpdate: (next, old) => [
    ...immutable(next, old, 'type', 'type'),
    ...frozenErrors(next, old, ['data']),
  ],
  warnings(secret) {
    if (secret.type !== 'kubernetes.io/tls') return []
    const pem = (key: string) =>
      Buffer.from(text(part(secret, 'data'), key), 'base64').toString('utf8')
    const fault = keyPairError(pem('tls.crt'), pem('tls.key'))
    return fault === undefined ? [] : [fault]
  },
  selectable: { type: (secret) => text(secret, 'type') },
}

export const namespaceRules: KindRules = {
  nameRule: labelName,
  prepareForCreate(namespace) {
    namespace.status = { phase: 'Active' }
    const spec = ownPart(namespace, 'spec')
    const finalizers = texts(spec, 'finalizers')
    if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes')
    spec.finalizers = finalizers
  },
  prepareForUpdate(next, old) {
    next.spec = structuredClone(old.spec)
  },
  validate: (namespace) =>
    texts(part(namespace, 'spec'), 'finalizers').flatMap((finalizer, index) =>
      finalizer.includes('/') || finalizer === 'kubernetes'
        ? []
        : [
            invalidValue(
              `spec.finalizers[${index}]`,
              finalizer,
              'name is neither a standard finalizer name nor is it fully qualified',
            ),
          ],
    ),
  selectable: {
    'status.phase': (namespace) => text(part(namespace, 'status'), 'phase'),
    name: ({ metadata }) => metadata.name,
  },
  deletion: {
    returnsDeleted: true,
    holdsDeletion: (namespace) =>
      texts(part(namespace as BuiltinObject, 'spec'), 'finalizers').length > 0,
    prepareForDelete(namespace) {
      ownPart(namespace as BuiltinObject, 'status').phase = 'Terminating'
    },
  },
}

export const serviceAccountRules: KindRules = {
  deletion: { returnsDeleted: true },
  prepareForCreate(account) {
    if (Array.isArray(account.secrets)) account.secrets = account.secrets.filter(isJsonObject)
  },
}

/** Validates the required keys of well-known Secret types. */
function typeErrors(secret: BuiltinObject, data: Fields): FieldError[] {
  const required = (keys: readonly string[]): FieldError[] =>
    keys.filter((key) => !(key in data)).map((key) => requiredValue(`data[${key}]`, ''))
  switch (secret.type) {
    case 'kubernetes.io/service-account-token': {
      const name = 'kubernetes.io/service-account.name'
      const annotated = (secret.metadata.annotations?.[name] ?? '') !== ''
      return annotated ? [] : [requiredValue(`metadata.annotations[${name}]`, '')]
    }
    case 'kubernetes.io/dockercfg':
      return [...required(['.dockercfg']), ...jsonErrors(data, '.dockercfg')]
    case 'kubernetes.io/dockerconfigjson':
      return [...required(['.dockerconfigjson']), ...jsonErrors(data, '.dockerconfigjson')]
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : required(['username', 'password'])
    case 'kubernetes.io/ssh-auth':
      return text(data, 'ssh-privatekey') === '' ? [requiredValue('data[ssh-privatekey]', '')] : []
    case 'kubernetes.io/tls':
      return required(['tls.crt', 'tls.key'])
    default:
      return []
  }
}

function jsonErrors(data: Fields, key: string): FieldError[] {
  if (!(key in data)) return []
  try {
    JSON.parse(Buffer.from(text(data, key), 'base64').toString('utf8'))
    return []
  } catch {
    const why = 'the value is not valid JSON'
    return [invalidValue(`data[${key}]`, '<secret contents redacted>', why)]
  }
}

function keyErrors(data: Fields, field: string): FieldError[] {
  return Object.keys(data).flatMap((key) =>
    dataKey(key).map((message) => invalidValue(`${field}[${key}]`, key, message)),
  )
}

function decodedBytes(data: Fields): number {
  let bytes = 0
  for (const value of Object.values(data)) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value, 'base64')
  }
  return bytes
}

function frozenErrors(next: Fields, old: Fields, names: readonly string[]): FieldError[] {
  if (old.immutable !== true) return []
  const changed = names.filter((name) => !sameJson(next[name] ?? null, old[name] ?? null))
  const thawed = next.immutable === true ? [] : ['immutable']
  return [...thawed, ...changed].map((name) => forbiddenValue(name, frozen))
}
