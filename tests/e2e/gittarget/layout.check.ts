import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Team, TestBed } from '../../support/gittarget/test-bed.ts'
import { until } from '../../support/testbed/until.ts'

describe('a target with a path template', () => {
  let bed: TestBed
  beforeAll(async () => {
    bed = await TestBed.start()
    await bed.startOperator()
  }, 60_000)
  afterAll(() => bed.stop())

  test('lays out its folder by it, and finds the files again', async () => {
    const team = await bed.team('layout', await bed.remote(), {
      target: {
        pathTemplate: 'objects/{{ kind }}-{{ name }}.yaml',
        prune: { mode: 'Always', maxDeleteFraction: 0.5 },
      },
      resources: ['configmaps'],
    })
    await team.configMap('a', { value: 'one' })
    await team.configMap('b', { value: 'one' })
    await team.isReady()
    const path = (name: string): string => `cluster/objects/configmap-${name}.yaml`
    await team.untilFiles((files) => path('a') in files && path('b') in files)
    expect(Object.keys(await team.files()).sort()).toEqual([
      'cluster/README.md',
      path('a'),
      path('b'),
    ])
    const before = await team.commits()
    await bed.stopOperator()
    await team.deleteConfigMap('b')
    await bed.startOperator()
    await team.untilFiles((files) => !(path('b') in files))
    expect(await team.commits()).toBe(before + 1)
    await team.configMap('a', { value: 'two' })
    await until(async () => (await team.files())[path('a')]?.includes('two'))
  })

  test('reports resources whose objects would share a path, and writes nothing', async () => {
    const team = await bed.team('shared', await bed.remote(), {
      target: { pathTemplate: '{{ kind }}/{{ name }}.yaml' },
    })
    await team.watch(['events'], { apiGroups: ['', 'events.k8s.io'] })
    await team.until('Validated=False/PathTemplateInvalid')
    const { status } = await team.target()
    const validated = status?.conditions?.find(({ type }) => type === 'Validated')
    expect(validated?.message).toContain('objects of events and events.events.k8s.io')
  })

  test.each([
    ['../{{ kind }}/{{ name }}.yaml', 'it leaves the folder'],
    ['a/../../{{ kind }}/{{ name }}.yaml', 'it leaves the folder'],
    ['/{{ kind }}/{{ name }}.yaml', 'it is absolute'],
    ['.git/{{ kind }}/{{ name }}.yaml', 'Git uses the folder itself'],
    ['{{ kind }}/{{ name }}', 'it is not a YAML file'],
    ['{{ kind }}/all.yaml', 'all objects of a kind would share it'],
    ['{{ name }}.yaml', 'objects of different kinds would share it'],
    ['{{ kind }}/{{ labels }}/{{ name }}.yaml', 'the placeholder is unknown'],
    ['{{ kind }}/{{ name }}\n.yaml', 'it contains a line break'],
  ])('is rejected with %j, because %s', async (pathTemplate) => {
    const team = new Team(bed.client, 'default', await bed.remote(), bed.secrets)
    const rejected = expect(team.createTarget({ pathTemplate })).rejects
    await rejected.toMatchObject({ code: 422, message: expect.stringContaining('pathTemplate') })
  })

  test('needs the namespace if cluster rules are allowed, and cannot be changed', async () => {
    const team = await bed.team('fixed', await bed.remote(), {
      target: { pathTemplate: '{{ kind }}/{{ name }}.yaml' },
    })
    const message = expect.stringContaining('{{ namespace }}')
    await expect(team.change({ allowClusterRules: true })).rejects.toMatchObject({ message })
    for (const pathTemplate of ['{{ kind }}/x-{{ name }}.yaml', null]) {
      await expect(team.change({ pathTemplate })).rejects.toMatchObject({ code: 422 })
    }
  })
})
