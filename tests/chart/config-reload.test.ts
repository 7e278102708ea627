import { parseConfig } from '@agents/config'
import { controllers, controlPlane } from '@agents/jangar'
import { describe, expect, test } from 'vitest'
import { at, listAt } from '../../scripts/chart/compat/chart-snapshot.ts'
import { find, render } from './render.ts'
import { variablesOf } from './workload.ts'

const timeout = 60_000
const listed = {
  rolloutChecksums: {
    secrets: ['token', { name: 'keys', keys: ['a', 'b'] }],
    configMaps: [{ name: 'flags', components: ['controllers'] }],
  },
}

describe('a process that looks at its configuration', () => {
  const values = {
    ...listed,
    controllers: { enabled: true },
    gitTargetController: { enabled: true },
    configReload: { mode: 'exit', jitterSeconds: 5, drainTimeoutSeconds: 20 },
    database: { url: 'postgres://db.test/agents', createSecret: { enabled: true } },
  }
  const secrets = [
    { name: 'token', keys: [] },
    { name: 'keys', keys: ['a', 'b'] },
    { name: 'agents-database', keys: [] },
  ]

  test.each([
    { deployment: 'agents', declaration: controlPlane, configMaps: [] },
    {
      deployment: 'agents-controllers',
      declaration: controllers,
      configMaps: [{ name: 'flags', keys: [] }],
    },
  ])(
    '$deployment is told what to look at, and may look at that alone',
    { timeout },
    async ({ deployment, declaration, configMaps }) => {
      const { objects, errors } = await render(values)
      expect(errors).toBe('')
      const environment = variablesOf(find(objects, 'Deployment', deployment))
      expect(parseConfig(declaration, environment).configReload).toEqual({
        mode: 'exit',
        jitterMs: 5_000,
        drainTimeoutMs: 20_000,
        secrets,
        configMaps,
      })
      const rules = listAt(find(objects, 'Role', `${deployment}-config`), 'rules')
      const rule = (resource: string, names: readonly { name: string }[]) => ({
        apiGroups: [''],
        resources: [resource],
        resourceNames: names.map(({ name }) => name),
        verbs: ['get', 'watch'],
      })
      expect(rules).toEqual([
        ...(configMaps.length > 0 ? [rule('configmaps', configMaps)] : []),
        rule('secrets', secrets),
      ])
      expect(
        at(find(objects, 'RoleBinding', `${deployment}-config`), 'subjects', '0', 'name'),
      ).toBe(deployment)
    },
  )

  test('the operator is not one: no variable of it comes from an object', { timeout }, async () => {
    const { objects } = await render(values)
    const names = Object.keys(variablesOf(find(objects, 'Deployment', 'agents-gittarget')))
    expect(names.filter((name) => name.includes('CONFIG_RELOAD'))).toEqual([])
    expect(objects.map(({ metadata }) => metadata.name)).not.toContain('agents-gittarget-config')
  })

  test('without it there is neither a list nor a Role', { timeout }, async () => {
    const { objects } = await render({ ...values, configReload: { mode: 'off' } })
    const names = Object.keys(variablesOf(find(objects, 'Deployment', 'agents')))
    expect(names).toContain('JANGAR_CONFIG_RELOAD_MODE')
    expect(names).not.toContain('JANGAR_CONFIG_RELOAD_SECRETS')
    expect(objects.map(({ metadata }) => metadata.name)).not.toContain('agents-config')
  })
})
