import { describe, expect, test } from 'vitest'
import { secrets } from './tenant-rights.ts'
import type { AnyObject, Tenants } from './tenants.ts'

const write = { apiGroups: ['security.proompteng.ai'], resources: ['*'], verbs: ['*'] }

function binding(namespace: string, allowedSecrets: readonly string[], agent = 'coder'): AnyObject {
  return {
    apiVersion: 'security.proompteng.ai/v1alpha1',
    kind: 'SecretBinding',
    metadata: { name: 'binding', namespace },
    spec: { subjects: [{ kind: 'Agent', name: agent }], allowedSecrets },
  }
}

/** Tenants who may write SecretBindings, and allow their own runs more than they may read themselves. */
export function describeSecretBindingAuthor(running: () => Tenants): void {
  describe('the author of a SecretBinding', () => {
    test('cannot allow a Secret that he may not get', async () => {
      const namespace = await running().namespace()
      const rules = [write, secrets(['get'], ['own'])]
      const attacker = await running().user('attacker', { namespace, rules })
      expect(await attacker.create(binding(namespace, ['own', 'stolen']))).toMatchObject({
        code: 403,
        message: expect.stringContaining(
          `attacker may not get the Secret stolen in the namespace ${namespace}, which the binding would allow`,
        ),
      })
      expect(await attacker.create(binding(namespace, ['own']))).toMatchObject({ code: 201 })
      const wider = { spec: { allowedSecrets: ['own', 'stolen'] } }
      expect(await attacker.patch(binding(namespace, []), wider)).toMatchObject({ code: 403 })
    })

    test('cannot give the Secrets that others allowed to another agent', async () => {
      const namespace = await running().namespace()
      const developer = await running().user('developer', {
        namespace,
        rules: [write, secrets(['get'])],
      })
      const attacker = await running().user('attacker', { namespace, rules: [write] })
      const made = binding(namespace, ['stolen', 'other'])
      expect(await developer.create(made)).toMatchObject({ code: 201 })
      const subjects = [{ kind: 'Agent', name: 'of-attacker' }]
      expect(await attacker.patch(made, { spec: { subjects } })).toMatchObject({ code: 403 })
      // Narrowing is open to every author, and so are labels.
      const narrower = { spec: { allowedSecrets: ['stolen'] } }
      expect(await attacker.patch(made, narrower)).toMatchObject({ code: 200 })
      const label = { metadata: { labels: { team: 'a' } } }
      expect(await attacker.patch(made, label)).toMatchObject({ code: 200 })
    })

    test('needs the right to get all Secrets to allow more than can be checked', async () => {
      const namespace = await running().namespace()
      const names = Array.from({ length: 25 }, (_, at) => `s${at}`)
      const some = [write, secrets(['get'], names)]
      const writer = await running().user('writer', { namespace, rules: some })
      const developer = await running().user('developer', {
        namespace,
        rules: [write, secrets(['get'])],
      })
      expect(await writer.create(binding(namespace, names))).toMatchObject({ code: 422 })
      expect(await writer.create(binding(namespace, names.slice(1)))).toMatchObject({ code: 201 })
      expect(
        await developer.patch(binding(namespace, names), binding(namespace, names)),
      ).toMatchObject({
        code: 200,
      })
    })
  })
}
