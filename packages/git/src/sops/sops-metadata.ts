import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { SopsError } from './sops-error.ts'
import type { YamlDocument } from './yaml-document.ts'

export interface WrappedKey {
  readonly recipient: string
  readonly enc: string
}

export interface SopsMetadata {
  readonly age: readonly WrappedKey[]
  /** RFC 3339, to the second. */
  readonly lastModified: string
  readonly mac: string
  readonly rule: EncryptionRule
  readonly macOnlyEncrypted: boolean
}

/** Which values are encrypted: those with a name on their path that matches, or those without one. */
type EncryptionRule =
  | { readonly kind: 'encrypted_regex'; readonly value: string }
  | { readonly kind: 'unencrypted_regex'; readonly value: string }
  | { readonly kind: 'encrypted_suffix'; readonly value: string }
  | { readonly kind: 'unencrypted_suffix'; readonly value: string }

/** The version of SOPS whose format this is. */
const formatVersion = '3.9.0'

export function isEncryptedPath({ kind, value }: EncryptionRule, keys: readonly string[]): boolean {
  switch (kind) {
    case 'encrypted_regex':
      return keys.some((key) => new RegExp(value).test(key))
    case 'unencrypted_regex':
      return !keys.some((key) => new RegExp(value).test(key))
    case 'encrypted_suffix':
      return keys.some((key) => key.endsWith(value))
    case 'unencrypted_suffix':
      return !keys.some((key) => key.endsWith(value))
  }
}

export function addMetadata(document: YamlDocument, metadata: SopsMetadata): void {
  document.set(
    'sops',
    document.createNode({
      age: metadata.age.map(({ recipient, enc }) => ({ recipient, enc })),
      lastmodified: metadata.lastModified,
      mac: metadata.mac,
      [metadata.rule.kind]: metadata.rule.value,
      version: formatVersion,
    }),
  )
}

/** Reads the metadata and removes it from the document. */
export function takeMetadata(document: YamlDocument): SopsMetadata {
  const map = document.get('sops')
  if (!isMap(map))
    throw new SopsError('the document is not encrypted with SOPS', { code: 'invalid' })
  document.delete('sops')
  return {
    age: ageKeys(map),
    lastModified: textOf(map, 'lastmodified') ?? missing('lastmodified'),
    mac: textOf(map, 'mac') ?? missing('mac'),
    rule: ruleOf(map),
    macOnlyEncrypted: map.get('mac_only_encrypted') === true,
  }
}

const rules = [
  'encrypted_regex',
  'unencrypted_regex',
  'encrypted_suffix',
  'unencrypted_suffix',
] as const

/**
 * Go matches any expression in linear time. Here one that somebody wrote to the repository could take for ever, so only
 * those without repetitions and nested groups are accepted.
 */
const names = /^\^?(?:\([\w.|-]*\)|[\w.|-]*)\$?$/

function ruleOf(map: YAMLMap): EncryptionRule {
  for (const kind of rules) {
    const value = textOf(map, kind)
    if (value === undefined) continue
    if (kind.endsWith('_regex') && !names.test(value)) {
      throw new SopsError(
        `${kind} of the SOPS metadata must be names joined with |, such as ^(data|stringData)$`,
        { code: 'invalid' },
      )
    }
    return { kind, value }
  }
  return { kind: 'unencrypted_suffix', value: '_unencrypted' }
}

function ageKeys(map: YAMLMap): WrappedKey[] {
  const list = map.get('age')
  if (!isSeq(list)) return []
  return list.items.filter(isMap).map((item) => ({
    recipient: textOf(item, 'recipient') ?? '',
    enc: textOf(item, 'enc') ?? missing('enc'),
  }))
}

function textOf(map: YAMLMap, key: string): string | undefined {
  const node = map.get(key, true)
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined
}

function missing(key: string): never {
  throw new SopsError(`the SOPS metadata has no ${key}`, { code: 'invalid' })
}
