import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigMapKind, type KubeObject, NamespaceKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { configMap, RestoreBed } from './restore-bed.ts'

const encryption = { provider: 'sops' as const, secretRef: { name: 'age' }, autoCreate: true }

/** Real `agentctl gittarget restore` processes against a server. */
export function restoreScenarios(startServer: StartServer): void {
  describe('agentctl gittarget restore', () => {
    let own: RestoreBed
    let bed: TestBed
    beforeAll(async () => {
      own = await RestoreBed.start(startServer)
      bed = own.bed
    })
    afterAll(() => own.stop())

    test('brings back what was deleted and damaged, and the mirror has nothing to add', async () => {
      const team = await bed.team('damaged', await bed.remote(), { resources: ['configmaps'] })
      const names = ['changed', 'deleted', 'same']
      for (const name of names) await team.configMap(name, { value: 'one' })
      await team.isReady()
      await team.untilFiles((files) =>
        names.every((name) => team.path('configmaps', name) in files),
      )
      const good = (await team.remote.tip('main')) ?? ''
      await team.configMap('changed', { value: 'two', added: 'two' })
      await team.deleteConfigMap('deleted')
      await team.untilFiles(
        (files) =>
          !(team.path('configmaps', 'deleted') in files) &&
          files[team.path('configmaps', 'changed')]?.includes('two') === true,
      )

      const unasked = await own.restore(team, '--revision', good)
      expect(unasked).toMatchObject({ code: 2, stdout: '' })
      expect(unasked.stderr).toContain('--yes')

      const gone = await own.restore(team, 'configmap/deleted', '--yes')
      expect(gone.code).toBe(3)
      expect(gone.stderr).toContain('Git has no configmap/deleted at commit')
      const [, last = ''] = /--revision ([0-9a-f]{12})\n/.exec(gone.stderr) ?? []
      const paths = await team.remote.git('ls-tree', '-r', '--name-only', last)
      expect(paths).toContain(team.path('configmaps', 'deleted'))

      const dry = await own.restore(team, '--revision', good, '--dry-run')
      expect(dry.code, 'of the conflict').toBe(1)
      expect(dry.stdout).toContain(`${team.path('configmaps', 'deleted')}: would be created\n+apiV`)
      expect(dry.stdout).toContain('-  value: two\n+  value: one\n')
      expect(dry.stdout).toContain('keeps what Git does not have: .data.added\n')
      expect(dry.stdout).toContain('damaged/configmap/deleted created (dry run)\n')
      expect(await own.dataOf(team, 'deleted')).toBeUndefined()

      const careful = await own.restore(team, '--revision', good, '--yes')
      expect(careful.code).toBe(1)
      expect(careful.stdout).toContain('damaged/configmap/deleted created\n')
      expect(careful.stderr).toMatch(/configmap\/changed .*conflict with "somebody".*\.data\.value/)
      expect(careful.stderr).toContain('--force-conflicts')
      expect(await own.dataOf(team, 'deleted')).toEqual({ value: 'one' })
      expect(await own.dataOf(team, 'changed')).toEqual({ value: 'two', added: 'two' })

      const words = ['cm/changed', '--revision', good, '--yes', '--force-conflicts']
      expect(await own.restore(team, ...words)).toMatchObject({ code: 0 })
      expect(await own.dataOf(team, 'changed')).toEqual({ value: 'one', added: 'two' })

      await team.untilFiles(
        (files) =>
          team.path('configmaps', 'deleted') in files &&
          files[team.path('configmaps', 'changed')]?.includes('value: one') === true,
      )
      const differs = await team.remote.git('diff', '--name-only', good, 'main')
      expect(differs, 'only what was kept').toBe(team.path('configmaps', 'changed'))
      const author = await team.remote.git('log', '-1', '--format=%an', 'main')
      expect(author).toBe('agentctl-restore (field manager)')

      await team.isReady()
      const before = { commits: await team.commits(), kept: await team.target() }
      const again = await own.restore(team, '--yes')
      expect(again).toMatchObject({ code: 0, stdout: '' })
      expect(again.stderr).toMatch(/^Commit [0-9a-f]{12}: 3 unchanged\n$/)
      expect(await team.commits()).toBe(before.commits)
    })

    test('a Secret needs the key of the user, and the other objects do not', async () => {
      const team = await bed.team('sealed', await bed.remote(), { target: false })
      await team.secret('password', { value: 'hunter2hunter2' })
      await team.configMap('a', { value: 'one' })
      await team.watch(['secrets', 'configmaps'])
      await team.createTarget({ encryption, prune: { mode: 'Never' } as never })
      await team.isReady()
      const paths = [team.path('secrets', 'password'), team.path('configmaps', 'a')]
      await team.untilFiles((files) => paths.every((path) => path in files))
      const key = { namespace: 'sealed', name: 'password' }
      const age = { namespace: 'sealed', name: 'age' }
      const { data: keys } = await bed.client.get(SecretKind, age)
      const { data } = await bed.client.get(SecretKind, key)
      await bed.client.delete(SecretKind, key)
      await team.deleteConfigMap('a')

      const without = await own.restore(team, '--yes')
      expect(without.code).toBe(1)
      expect(without.stdout).toContain('sealed/configmap/a created\n')
      expect(without.stderr).toContain('it is encrypted, and no age key was given')
      expect(without.stderr).toContain('--age-key-file')

      const file = join(own.scratch, 'keys.txt')
      const other = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'
      await writeFile(file, `${other}x\n`)
      const wrong = await own.restore(team, '--yes', '--age-key-file', file)
      expect(wrong.code).toBe(1)
      expect(wrong.stderr).toContain('an age identity is not valid')
      expect(wrong.stderr).not.toContain('AGE-SECRET-KEY')

      const identity = Buffer.from(keys?.['identity.agekey'] ?? '', 'base64').toString('utf8')
      await writeFile(file, identity, { mode: 0o600 })
      const shown = await own.restore(team, '--dry-run', '--age-key-file', file)
      expect(shown.stdout).toContain('+  value: "***"\n')
      const done = await own.restore(team, '--yes', '--age-key-file', file)
      expect(done.stdout).toContain('sealed/secret/password created\n')
      expect(done.code).toBe(0)
      expect((await bed.client.get(SecretKind, key)).data).toEqual(data)
    })

    test('an object that the server refuses does not keep it from the others', async () => {
      const team = await own.teamWith('refusing', {
        'refusing/core/configmaps/a.yaml': configMap('refusing', 'a'),
        'refusing/core/configmaps/frozen.yaml': configMap('refusing', 'frozen'),
        'refusing/core/configmaps/z.yaml': configMap('refusing', 'z', {
          metadata: {
            ...{ name: 'z', namespace: 'refusing', resourceVersion: '1', finalizers: ['a.test/b'] },
            uid: '11111111-1111-4111-8111-111111111111',
          },
        }),
        'refusing/core/serviceaccounts/robot.yaml': {
          ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
          metadata: { name: 'robot', namespace: 'refusing' },
        },
      })
      const frozen = { metadata: { name: 'frozen', namespace: 'refusing' }, immutable: true }
      await bed.client.create(ConfigMapKind, { ...frozen, data: { value: 'other' } } as never)
      await team.configMap('z', { other: 'recreated' })
      await writeFile(join(own.scratch, 'limited'), bed.kubeconfig(await own.limitedToken(team)))

      const limited = await own.restoreAs('limited', team, '--yes')
      expect(limited.code).toBe(1)
      expect(limited.stderr).toMatch(/serviceaccount\/robot .*forbidden/)
      expect(limited.stderr).toMatch(/configmap\/frozen .*immutable/)
      expect(limited.stderr).toContain('2 of 4 objects were not restored')
      expect(limited.stdout).toContain('refusing/configmap/a created\n')
      expect(limited.stdout).toContain('refusing/configmap/z changed\n')
      const { metadata, ...z } = await bed.client.get(ConfigMapKind, {
        ...{ name: 'z', namespace: 'refusing' },
      })
      expect(z.data).toEqual({ value: 'git', other: 'recreated' })
      expect(metadata.finalizers).toBeUndefined()
    })

    test('a namespace, a definition and an object of the new kind come back in one go', async () => {
      const gadget = { group: 'restore.test', plural: 'gadgets' }
      const schema = {
        type: 'object',
        properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      }
      const team = await own.teamWith(
        'whole',
        {
          '_cluster/core/namespaces/new-home.yaml': {
            ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new-home' } },
          },
          'new-home/core/configmaps/a.yaml': configMap('new-home', 'a'),
          'new-home/restore.test/gadgets/one.yaml': {
            ...{ apiVersion: 'restore.test/v1', kind: 'Gadget', spec: { size: 1 } },
            metadata: { name: 'one', namespace: 'new-home' },
            status: { phase: 'Old' },
          },
          '_cluster/apiextensions.k8s.io/customresourcedefinitions/gadgets.restore.test.yaml': {
            ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
            metadata: { name: 'gadgets.restore.test' },
            spec: {
              group: gadget.group,
              names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
              scope: 'Namespaced',
              versions: [
                { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
              ],
            },
          },
        },
        { allowClusterRules: true },
      )
      const dry = await own.restore(team, '--dry-run', '-o', 'json')
      expect(dry.code).toBe(0)
      const { objects } = JSON.parse(dry.stdout) as { objects: { object: string }[] }
      const order = [
        'namespace/new-home',
        'customresourcedefinition.apiextensions.k8s.io/gadgets.restore.test',
        'new-home/configmap/a',
        'new-home/gadget.restore.test/one',
      ]
      expect(objects.map(({ object }) => object)).toEqual(order)
      await expect(bed.client.get(NamespaceKind, { name: 'new-home' })).rejects.toThrow('not found')
      const done = await own.restore(team, '--yes')
      expect(done).toMatchObject({ code: 0 })
      for (const object of order) expect(done.stdout).toContain(`${object} created\n`)
      const path = '/apis/restore.test/v1/namespaces/new-home/gadgets/one'
      const one = JSON.parse(String((await bed.client.request({ path })).bytes)) as KubeObject
      expect(one).toMatchObject({ spec: { size: 1 } })
      expect(one.status).toBeUndefined()
      await until(async () => (await own.restore(team, '--yes')).stderr.includes('4 unchanged'))
    })

    test('a repository cannot make the user write outside of what the target mirrors', async () => {
      const bomb = ['x0: &x0 [a, a, a, a, a, a, a, a, a]']
      for (let level = 1; level < 12; level += 1) {
        bomb.push(
          `x${level}: &x${level} [${Array(9)
            .fill(`*x${level - 1}`)
            .join(', ')}]`,
        )
      }
      const head = (name: string): string =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: hostile}\n`
      const team = await own.teamWith(
        'hostile',
        {
          'good.yaml': configMap('hostile', 'good'),
          'hostile/bare.yaml': configMap(undefined, 'bare'),
          'hostile/twice.yaml': configMap(undefined, 'good', { data: { value: 'implied' } }),
          'elsewhere.yaml': configMap('default', 'elsewhere'),
          'role.yaml': {
            ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
            ...{ metadata: { name: 'evil' }, rules: [] },
          },
          'traversal.yaml': configMap('hostile', '../../../../api/v1/namespaces/default'),
          'key.yaml': {
            ...{ apiVersion: 'v1', kind: 'Secret', data: { 'identity.agekey': 'ZXZpbA==' } },
            metadata: { name: 'age', namespace: 'hostile' },
          },
          'bomb.yaml': `${head('bomb')}${bomb.join('\n')}\n`,
          'huge.yaml': `${head('huge')}data: {a: "${'x'.repeat(5 * 1024 * 1024)}"}\n`,
          'broken.yaml': `${head('broken')}data: {a: [}\n`,
          'unknown.yaml': {
            ...{ apiVersion: 'nowhere.test/v1', kind: 'Thing' },
            metadata: { name: 'x', namespace: 'hostile' },
          },
          'odd\u001b[2J.yaml': configMap('hostile', 'odd\u001b[2J'),
        },
        { encryption },
      )
      await team.remote.fastImport(
        'commit refs/heads/main\ncommitter a <a@b.test> 1700000000 +0000\ndata 0\nfrom refs/heads/main^0\nM 120000 inline cluster/link.yaml\ndata 11\n/etc/passwd\n\n',
      )
      const { code, stdout, stderr } = await own.restore(team, '--yes')
      expect(code).toBe(1)
      expect(stdout).toContain('hostile/configmap/good created\n')
      expect(stdout).toContain('hostile/configmap/bare created\n')
      expect(stdout.match(/^\S+ created\n/gm)).toHaveLength(2)
      expect(await own.dataOf(team, 'good')).toEqual({ value: 'git' })
      const outside =
        /it is not in namespace hostile, and the target does not set allowClusterRules/
      for (const [file, reason] of [
        ['elsewhere.yaml', outside],
        ['role.yaml', outside],
        ['traversal.yaml', /not a valid object name/],
        ['key.yaml', /key of the mirror/],
        ['bomb.yaml', /cannot be read unambiguously/],
        ['huge.yaml', /larger than 4 MiB/],
        ['broken.yaml', /not valid YAML/],
        ['link.yaml', /link, which is not followed/],
        ['unknown.yaml', /does not serve nowhere.test\/v1 Thing/],
      ] as const) {
        const lines = stderr.split('\n').filter((line) => line.includes(`cluster/${file}`))
        expect(lines, file).toEqual([expect.stringMatching(reason)])
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(stdout + stderr).not.toMatch(/[\u001b\u009b]/)
      expect(stderr).toContain('10 of 12 objects were not restored')
    })

    test('objects are named by any name of their kind, and a misspelled one is recognised', async () => {
      const team = await own.teamWith(
        'named',
        {
          'a.yaml': configMap('named', 'settings'),
          'b.yaml': configMap('default', 'settings'),
          'c.yaml': configMap('named', 'other'),
        },
        { allowClusterRules: true },
      )
      const misspelled = await own.restore(team, 'configmap/setings', '--yes')
      expect(misspelled.code).toBe(3)
      expect(misspelled.stderr).toContain('Did you mean configmap/settings?')
      const ambiguous = await own.restore(team, 'configmaps/settings', '--yes')
      expect(ambiguous.code).toBe(2)
      expect(ambiguous.stderr).toContain(
        'Give one of: default/configmap/settings, named/configmap/settings',
      )
      const named = await own.restore(team, 'named/cm/settings', '--yes')
      expect(named).toMatchObject({ code: 0 })
      expect(named.stdout).toContain('named/configmap/settings created\n')
      expect(await own.dataOf(team, 'other')).toBeUndefined()
      const revision = await own.restore(team, '--revision', 'deadbeef', '--yes')
      expect(revision.code).toBe(3)
      expect(revision.stderr).toContain('revision deadbeef is not a commit of branch main')
    })

    test('what the target ignores stays as the cluster has it', async () => {
      const team = await own.teamWith(
        'ignoring',
        { 'a.yaml': configMap('ignoring', 'a', { data: { value: 'git', counter: '1' } }) },
        { ignore: { fields: [{ resources: ['configmaps'], paths: ['/data/counter'] }] } },
      )
      expect((await own.restore(team, '--yes')).code).toBe(0)
      expect(await own.dataOf(team, 'a')).toEqual({ value: 'git', counter: '1' })
      await bed.client.patch(
        ConfigMapKind,
        { name: 'a', namespace: 'ignoring' },
        { type: 'merge', body: { data: { value: 'edited', counter: '2' } } },
      )
      expect((await own.restore(team, '--yes', '--force-conflicts')).code).toBe(0)
      expect(await own.dataOf(team, 'a')).toEqual({ value: 'git', counter: '2' })
    })
  })
}
