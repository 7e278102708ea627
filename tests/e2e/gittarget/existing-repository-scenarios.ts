import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestBed } from '../../support/gittarget/test-bed.ts'
import type { StartServer } from '../../support/testbed/server.ts'

/** A repository that people wrote before the mirror came. */
export function existingRepositoryScenarios(startServer: StartServer): void {
  describe('a repository of manifests that people wrote', () => {
    let bed: TestBed
    beforeAll(async () => {
      bed = await TestBed.start(startServer)
      await bed.startOperator()
    })
    afterAll(() => bed.stop())

    const anchored = `# ask the owners
kind: ConfigMap
apiVersion: v1
metadata: {name: app}   # the namespace is in kustomization.yaml
data:
  first: &level  info   # how loud
  second: *level
`
    const json = (name: string, namespace: string): string =>
      `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${name}", "namespace": "${namespace}"}, "data": {"level": "info"}}\n`
    const list = (namespace: string): string => `apiVersion: v1
kind: List
items:
  # the first
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: one, namespace: ${namespace}}
    data: {level: info}
  - ${json('two', namespace)}`

    test('is edited in place, and gets no second copies', async () => {
      const namespace = 'existing'
      const remote = await bed.remote()
      const before = {
        'cluster/app/kustomization.yaml': `namespace: ${namespace}\nresources: [app.yaml]\n`,
        'cluster/app/app.yaml': anchored,
        'cluster/data.json': json('data', namespace),
        'cluster/list.yaml': list(namespace),
      }
      await remote.commit('main', before)
      const team = await bed.team(namespace, remote, { target: false })
      await team.configMap('app', { first: 'info', second: 'info' })
      for (const name of ['data', 'one', 'two']) await team.configMap(name, { level: 'info' })
      await team.watch(['configmaps'])
      await team.createTarget()
      await team.isReady()
      const { 'cluster/README.md': _own, ...adopted } = await team.files()
      expect(adopted).toEqual(before)

      await team.configMap('app', { first: 'yes', second: 'info' })
      await team.configMap('data', { level: '1_000' })
      await team.configMap('one', { level: 'on' })
      await team.deleteConfigMap('two')
      const after = {
        ...before,
        'cluster/app/app.yaml': anchored
          .replace('&level  info', '&level  "yes"')
          .replace('*level', 'info'),
        'cluster/data.json': before['cluster/data.json'].replace('"info"', '"1_000"'),
        'cluster/list.yaml': list(namespace)
          .replace('level: info', 'level: "on"')
          .replace(/ {2}- \{"apiVersion".*\n/, ''),
      }
      await team.untilFiles(({ 'cluster/README.md': _same, ...files }) =>
        Object.entries(after).every(([path, text]) => files[path] === text),
      )
      expect(Object.keys(await team.files()).sort()).toEqual(
        ['cluster/README.md', ...Object.keys(after)].sort(),
      )
    })

    test('has a file that cannot be edited: the status names it, and it stays as it is', async () => {
      const namespace = 'not-editable'
      const remote = await bed.remote()
      const path = 'cluster/mine/app.yaml'
      // Go reads a line break in the comment, so that the file is invalid, but its structure is clear.
      const odd = `# two\u2028lines\n${anchored.replace('{name: app}', `{name: app, namespace: ${namespace}}`)}`
      await remote.commit('main', { [path]: odd })
      const team = await bed.team(namespace, remote, { target: false })
      await team.configMap('app', { first: 'debug', second: 'info' })
      await team.watch(['configmaps'])
      await team.createTarget()
      await team.until('SnapshotSynced=False/SnapshotFailed')
      const { status } = await team.target()
      const synced = status?.conditions?.find(({ type }) => type === 'SnapshotSynced')
      expect(synced?.message).toContain(`${path} cannot be written: its YAML cannot be edited`)
      const files = await team.files()
      expect(files[path]).toBe(odd)
      expect(files[team.path('configmaps', 'app')]).toBeUndefined()
      await remote.commit('main', { [path]: odd.replace('\u2028', ' ') })
      // The next push notices the commit.
      await team.configMap('other', {})
      await team.isReady()
      expect((await team.files())[path]).toContain('&level  debug   # how loud')
    })
  })
}
