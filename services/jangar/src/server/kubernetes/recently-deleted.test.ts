import type { ResourceCache } from '@agents/controller'
import type { SecretBinding } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import {
  enforcedBindings,
  secretBindingIndexers,
  secretBindingRule,
} from '../primitives-policy/secret-bindings.ts'
import { deletedCountsMs } from './recently-deleted.ts'

const namespace = 'team'
const subjects = [{ kind: 'Agent', name: 'coder' }] as const

function bindingOf(allowedSecrets: readonly string[]): SecretBinding {
  const spec = { subjects, allowedSecrets }
  return { metadata: { name: 'binding', namespace }, spec } as unknown as SecretBinding
}

test('a SecretBinding that is being replaced allows no more than before', () => {
  const subscribed: Parameters<ResourceCache<SecretBinding>['subscribe']>[0][] = []
  let bindings: readonly SecretBinding[] = []
  let elapsed = 0
  const cache = {
    byIndex: (index: string, value: string) =>
      bindings.filter((one) => secretBindingIndexers[index]?.(one).includes(value)),
    subscribe: (handlers: (typeof subscribed)[number]) => {
      subscribed.push(handlers)
      return { hasSynced: () => true, remove: () => undefined }
    },
  } as unknown as ResourceCache<SecretBinding>
  const secretBindings = enforcedBindings(cache, { elapsed: () => elapsed })
  const allows = (name: string) => {
    const rule = secretBindingRule({ namespace, subjects }, { secretBindings, isRequired: false })
    return rule?.({ name, purpose: 'which it names' }) === undefined
  }
  const before = bindingOf(['own'])
  bindings = [before]
  expect([allows('own'), allows('other')]).toEqual([true, false])
  bindings = []
  for (const { onDelete } of subscribed) onDelete(before)
  expect([allows('own'), allows('other')]).toEqual([true, false])
  elapsed += deletedCountsMs - 1
  expect(allows('other')).toBe(false)
  const after = bindingOf(['other'])
  bindings = [after]
  for (const { onAdd } of subscribed) onAdd(after, false)
  expect([allows('own'), allows('other')]).toEqual([false, true])
  bindings = []
  for (const { onDelete } of subscribed) onDelete(after)
  elapsed += deletedCountsMs
  expect([allows('own'), allows('other')]).toEqual([true, true])
})
