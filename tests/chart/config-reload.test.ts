import { at, listAt } from '@agents/chart-tools'
import { parseConfig } from '@agents/config'
import { controllers, controlPlane } from '@agents/jangar'
import { describe, expect, test } from 'vitest'
import { find, render } from '../support/chart/render.ts'
import { variablesOf } from '../support/chart/workload.ts'

const timeout = 60_000
const listed = {
  rolloutChecksums: {
    secrets: ['token', { name: 'keys', keys: ['a', 'b'] }],
    configMaps: [{ name: 'flags', components: ['controllers'] }],
  },
}

describe('a process that watches its configuration', () => {
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
    { deployment: 'agents', account: 'agents-sa', declaration: controlPlane, configMaps: [] },
    {
      deployment: 'agents-controllers',
      account: 'agents-controllers',
      declaration: controllers,
      configMaps: [{ name: 'flags', keys: [] }],
    },
  ])(
    '$deployment gets the list of objects to watch, and permission for those only',
    { timeout },
    async ({ deployment, account, declaration, configMaps }) => {
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
      ).toBe(account)
    },
  )

  test('the operator does not: none of its variables comes from an object', {
    timeout,
  }, async () => {
    const { objects } = await render(values)
    const names = Object.keys(variablesOf(find(objects, 'Deployment', 'agents-gittarget')))
    expect(names.filter((name) => name.includes('CONFIG_RELOAD'))).toEqual([])
    expect(objects.map(({ metadata }) => metadata.name)).not.toContain('agents-gittarget-config')
  })

  test('if disabled, there is neither a list nor a Role', { timeout }, async () => {
    const { objects } = await render({ ...values, configReload: { mode: 'off' } })
    const names = Object.keys(variablesOf(find(objects, 'Deployment', 'agents')))
    expect(names).toContain('JANGAR_CONFIG_RELOAD_MODE')
    expect(names).not.toContain('JANGAR_CONFIG_RELOAD_SECRETS')
    expect(objects.map(({ metadata }) => metadata.name)).not.toContain('agents-config')
  })
})
