import { beforeAll, describe } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { validatingPath, validations } from './policies.ts'
import { conformance, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve } from './widget.ts'

conformance('policy-type-checks', ({ client, namespace, group, same }) => {
  const rule = (apiGroup: string, ...resources: string[]): Fields => ({
    ...{ operations: ['CREATE'], apiGroups: [apiGroup], apiVersions: ['v1'] },
    resources,
  })
  const deployments = rule('apps', 'deployments')
  const make = (name: string, spec: Fields, rules: readonly Fields[] = [deployments]) =>
    client.send('POST', validatingPath, {
      metadata: { name: `${namespace}-${name}` },
      spec: { matchConstraints: { resourceRules: [...rules] }, ...spec },
    })
  /** The policy once its current generation has been checked. */
  const checked = async (name: string) => {
    const path = `${validatingPath}/${namespace}-${name}`
    await until(async () => {
      const answer = await client.get(path)
      const generation = valueAt(answer, 'metadata.generation')
      return valueAt(answer, 'status.observedGeneration') === generation
    })
    return client.get(path)
  }
  const warns = (because: string, name: string, spec: Fields, rules?: readonly Fields[]): void =>
    same(because, 200, async () => {
      await make(name, spec, rules)
      return checked(name)
    })

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
  })

  describe('the status of a policy', () => {
    warns('without a fault has no warnings', 'fine', validations('object.spec.replicas > 1'))
    warns('warns of an unknown field', 'field', validations('object.spec.odd > 1'))
    warns('warns of a wrong type', 'type', validations("object.spec.replicas > 'x'"))
    warns(
      'warns of a message',
      'message',
      validations('true', { messageExpression: 'object.odd + "x"' }),
    )
    warns('warns for each kind', 'kinds', validations('object.spec.replicas > 1'), [
      deployments,
      rule('apps', 'daemonsets'),
      rule('', 'configmaps'),
    ])
    warns('warns of a custom resource', 'custom', validations('object.spec.odd == 1'), [
      rule(group, 'widgets'),
    ])
    warns('warns of params', 'params', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validations('params.odd == 1'),
    })
    warns('warns of variables', 'variables', {
      variables: [{ name: 'count', expression: 'object.spec.replicas' }],
      ...validations("variables.count == 'x'"),
    })
    warns('has no warnings for all kinds at once', 'wild', validations('object.odd == 1'), [
      { ...rule('*', '*'), apiVersions: ['*'] },
    ])
    warns('has no warnings for subresources', 'sub', validations('object.odd == 1'), [
      rule('apps', 'deployments/scale'),
    ])
    same('is checked again after a change', 200, async () => {
      await client.send(
        'PATCH',
        `${validatingPath}/${namespace}-field`,
        { spec: validations('object.spec.replicas > 1') },
        merge,
      )
      return checked('field')
    })
  })

  describe('a status that is written', () => {
    const path = `${validatingPath}/${namespace}-fine/status`
    const patch = (because: string, code: number, status: Fields, metadata: Fields = {}): void =>
      same(because, code, () =>
        client.send('PATCH', `${path}?dryRun=All`, { status, metadata }, merge),
      )
    patch('keeps labels', 200, { observedGeneration: 7 }, { labels: { a: 'b' } })
    patch('has warnings', 200, {
      typeChecking: { expressionWarnings: [{ fieldRef: 'spec.a', warning: 'odd' }] },
    })
    patch('may not have empty warnings', 422, { typeChecking: { expressionWarnings: [{}] } })
  })
})
