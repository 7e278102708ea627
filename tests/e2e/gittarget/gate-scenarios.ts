import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateAgeKey } from '@agents/git'
import { CustomResourceDefinitionKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { makeKey } from '../../support/git/ssh-server.ts'
import {
  conditionsOf,
  GitProviderKind,
  GitTargetKind,
  TestBed,
} from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'

/** Closes and opens every gate of a GitTarget, on one server. */
export function gateScenarios(start: StartServer): void {
  let bed: TestBed
  beforeAll(async () => {
    bed = await TestBed.start(start)
    await bed.startOperator()
  }, 60_000)
  afterAll(() => bed.stop())

  const phase = async (namespace: string): Promise<string | undefined> =>
    (await bed.client.get(GitTargetKind, { namespace, name: 'mirror' })).status?.phase

  describe('each gate reports why it does not pass, and passes by itself when it can', () => {
    test('the provider is missing', async () => {
      const team = await bed.team('no-provider', await bed.remote(), { provider: false })
      await team.until('Validated=False/ProviderNotFound')
      expect(await team.conditionTexts()).toEqual(
        expect.arrayContaining([
          'Ready=False/ValidationFailed',
          'EncryptionConfigured=Unknown/Blocked',
        ]),
      )
      expect(await phase('no-provider')).toBe('BOOTSTRAPPING')
      await team.createProvider()
      await team.isReady()
    })

    test('the provider is replaced, and objects deleted meanwhile are deleted from the branch', async () => {
      const team = await bed.team('replaced', await bed.remote(), { resources: ['configmaps'] })
      for (const name of ['gone', 'kept']) await team.configMap(name, {})
      await team.untilFiles((files) => team.path('configmaps', 'gone') in files)
      await team.isReady()
      await bed.client.delete(GitProviderKind, { namespace: 'replaced', name: 'repository' })
      await team.until('Validated=False/ProviderNotFound')
      await team.deleteConfigMap('gone')
      await team.createProvider({
        commit: {
          author: 'Committer',
          committer: { name: 'another', email: 'another@example.test' },
        },
      })
      await team.untilFiles((files) => !(team.path('configmaps', 'gone') in files))
      expect(await team.remote.git('log', '-1', '--format=%cn', 'main')).toBe('another')
      await team.isReady()
    })

    test('the URL does not name a repository, and does not block other targets', async () => {
      const broken = await bed.team('no-url', await bed.remote(), {
        provider: { url: 'https://git.test' },
        target: { path: '.' },
      })
      await broken.until('Validated=False/ProviderNotFound')
      const key = { namespace: 'no-url', name: 'repository' }
      await until(async () =>
        conditionsOf(await bed.client.get(GitProviderKind, key)).includes(
          'Validated=False/URLInvalid',
        ),
      )
      const other = await bed.team('with-url', await bed.remote())
      await other.isReady()
    })

    test('the message template is invalid, and nothing is committed with it', async () => {
      const team = await bed.team('template', await bed.remote(), { resources: ['configmaps'] })
      await team.isReady()
      const messageTemplateOf = (messageTemplate: string) =>
        bed.client.patch(
          GitProviderKind,
          { namespace: 'template', name: 'repository' },
          { type: 'merge', body: { spec: { commit: { messageTemplate } } } },
        )
      await messageTemplateOf('{{ author }}: {{ summary }}')
      await team.until('Validated=False/ProviderNotFound')
      await team.configMap('a', {})
      await messageTemplateOf('mirror: {{ summary }}')
      await team.isReady()
      await team.untilFiles((files) => team.path('configmaps', 'a') in files)
      const messages = await team.remote.git('log', '--format=%s', 'main')
      expect(messages.split('\n')[0]).toBe('mirror: Create template/core/configmaps/a')
      expect(messages).not.toContain('author')
    })

    test('the branch is not allowed', async () => {
      const team = await bed.team('no-branch', await bed.remote(), {
        provider: { allowedBranches: ['release/*'] },
      })
      await team.until('Validated=False/BranchNotAllowed')
      expect(await team.conditionTexts()).toContain('Stalled=True/BranchNotAllowed')
      await team.createTarget({ branch: 'release/1' }, 'other')
      await team.isReady('other')
    })

    test('an older target owns the path, through any provider, until it is deleted', async () => {
      const remote = await bed.remote()
      const older = await bed.team('older', remote)
      await older.isReady()
      const younger = await bed.team('younger', remote, {
        provider: { url: `${remote.url}/` },
        target: { path: 'cluster/inside' },
      })
      await younger.until('Validated=False/TargetConflict')
      await bed.client.delete(GitTargetKind, { namespace: 'older', name: 'mirror' })
      await younger.isReady()
    })

    test('an older target owns the path while its own provider allows the branch', async () => {
      const remote = await bed.remote()
      const older = await bed.team('allowed', remote)
      await older.isReady()
      const younger = await bed.team('waiting', remote)
      await younger.until('Validated=False/TargetConflict')
      const allow = (branch: string) =>
        bed.client.patch(
          GitProviderKind,
          { namespace: 'allowed', name: 'repository' },
          { type: 'merge', body: { spec: { allowedBranches: [branch] } } },
        )
      await allow('other')
      await younger.isReady()
      await allow('main')
      await younger.until('Validated=False/TargetConflict')
      await older.isReady()
    })

    test('the key is missing and may not be created', async () => {
      const encryption = {
        provider: 'sops' as const,
        secretRef: { name: 'age' },
        autoCreate: false,
      }
      const team = await bed.team('no-key', await bed.remote(), { target: { encryption } })
      await team.until('EncryptionConfigured=False/SecretCreateDisabled')
      expect(await team.conditionTexts()).toContain('Ready=False/EncryptionNotConfigured')
      expect(await phase('no-key')).toBe('BOOTSTRAPPING')
      await team.secret('age', { other: 'no key' })
      await team.until('EncryptionConfigured=False/MissingSecret')
      await bed.client.delete(SecretKind, { namespace: 'no-key', name: 'age' })
      await team.change({ encryption: { autoCreate: true } })
      await team.isReady()
      expect((await team.target()).status?.encryption).toMatchObject({ mode: 'Sops' })
    })

    test('the key is replaced, and objects deleted meanwhile are deleted from the branch', async () => {
      const encryption = { provider: 'sops' as const, secretRef: { name: 'age' } }
      const team = await bed.team('new-key', await bed.remote(), { target: false })
      const { identity } = await generateAgeKey()
      await team.secret('age', { 'age.agekey': identity })
      await team.createTarget({ encryption: { ...encryption, autoCreate: false } })
      for (const name of ['early', 'late', 'kept']) await team.configMap(name, {})
      await team.watch(['configmaps'])
      await team.isReady()
      await team.untilFiles((files) => team.path('configmaps', 'late') in files)
      await team.deleteConfigMap('early')
      await bed.client.delete(SecretKind, { namespace: 'new-key', name: 'age' })
      await team.until('EncryptionConfigured=False/SecretCreateDisabled')
      await team.deleteConfigMap('late')
      await team.secret('age', { 'age.agekey': identity })
      await team.isReady()
      await team.untilFiles((files) => {
        const left = ['early', 'late', 'kept'].filter(
          (name) => team.path('configmaps', name) in files,
        )
        return left.join() === 'kept'
      })
    })

    test('the worker cannot be started', async () => {
      const team = await bed.team('no-worker', await bed.remote(), { provider: false })
      await team.secret('signing', { identity: 'this is no key' })
      await team.createProvider({
        commit: {
          author: 'Committer',
          committer: { name: 'mirror', email: 'mirror@example.test' },
          signing: { secretRef: { name: 'signing' } },
        },
      })
      await team.until('Bootstrapped=False/WorkerNotFound')
      expect(await team.conditionTexts()).toContain('Ready=False/BootstrapNotComplete')
      expect(await phase('no-worker')).toBe('BOOTSTRAPPING')
      await team.secret('signing', { identity: await makeKey(join(team.remote.directory, 'key')) })
      await team.isReady()
    })

    test('the repository does not exist', async () => {
      const remote = await bed.remote()
      await rename(remote.path, `${remote.path}.away`)
      const team = await bed.team('no-repository', remote)
      await team.until('Bootstrapped=False/BootstrapFailed')
      await rename(`${remote.path}.away`, remote.path)
      await team.isReady()
    })

    test('the snapshot is in progress', async () => {
      const remote = await bed.remote()
      const open = await closeRemote(remote)
      const team = await bed.team('slow', remote, { resources: ['configmaps'] })
      await team.until('SnapshotSynced=False/Running')
      expect(await team.conditionTexts()).toContain('Ready=False/InitialSyncInProgress')
      expect(await phase('slow')).toBe('SYNCING')
      await open()
      await team.isReady()
    })

    test('the target was suspended, and pending changes are still being pushed', async () => {
      const remote = await bed.remote()
      const team = await bed.team('resumed', remote, { resources: ['configmaps'] })
      await team.isReady()
      await team.change({ suspend: true })
      await team.until('SnapshotSynced=False/Running')
      await team.configMap('late', { version: '1' })
      await until(() => bed.operator.components.mirrors.state('resumed/mirror')?.waiting === 1)
      const open = await closeRemote(remote)
      await team.change({ suspend: false })
      await until(async () => {
        const { metadata, status } = await team.target()
        return status?.observedGeneration === metadata.generation
      })
      expect(await team.conditionTexts()).toContain('SnapshotSynced=False/Running')
      await open()
      await team.isReady()
      await team.untilFiles((files) => team.path('configmaps', 'late') in files)
    })

    test('a type is not served yet', async () => {
      const team = await bed.team('no-type', await bed.remote())
      await team.configMap('a', {})
      await team.watch(['configmaps', 'gadgets'])
      await team.until('EventStreamLive=False/RegistrationFailed')
      expect(await team.conditionTexts()).toContain('Ready=False/StreamNotLive')
      expect(await phase('no-type')).toBe('DEGRADED')
      // The types that are served are mirrored.
      await team.untilFiles((files) => team.path('configmaps', 'a') in files)
      await bed.client.create(CustomResourceDefinitionKind, gadgets)
      await team.isReady()
    })
  })
}

/** Blocks pushes until the returned function is called. */
async function closeRemote(remote: BareRemote): Promise<() => Promise<void>> {
  const gate = join(remote.directory, 'closed')
  const hook = join(remote.path, 'hooks', 'pre-receive')
  await writeFile(gate, '')
  await mkdir(join(remote.path, 'hooks'), { recursive: true })
  await writeFile(hook, `#!/bin/sh\nwhile [ -e '${gate}' ]; do sleep 0.05; done\n`)
  await chmod(hook, 0o755)
  return () => rm(gate)
}

const gadgets = {
  metadata: { name: 'gadgets.test.example' },
  spec: {
    group: 'test.example',
    names: { plural: 'gadgets', kind: 'Gadget' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
} as never
