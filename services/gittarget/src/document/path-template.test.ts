import { describe, expect, test } from 'vitest'
import { parsePathTemplate, pathTemplateProblem } from './path-template.ts'

const web = {
  group: 'apps',
  kind: 'Deployment',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
}

describe('a path template', () => {
  test.each([
    ['{{ namespace }}/{{ kind }}-{{ name }}.yaml', 'shop/deployment-web.yaml'],
    ['{{kind}}/{{name}}.yaml', 'deployment/web.yaml'],
    ['apps/{{ resource }}.{{ group }}/{{ name }}.yaml', 'apps/deployments.apps/web.yaml'],
  ])('%s gives %s', (template, path) => {
    expect(pathTemplateProblem(template)).toBeUndefined()
    expect(parsePathTemplate(template).pathOf(web)).toBe(path)
  })

  test('marks cluster-scoped objects and the core group', () => {
    const template = parsePathTemplate('{{ namespace }}/{{ group }}/{{ kind }}/{{ name }}.yaml')
    const node = { group: '', kind: 'Node', resource: 'nodes', namespace: '', name: 'n1' }
    expect(template.pathOf(node)).toBe('_cluster/core/node/n1.yaml')
  })

  test.each(['..', '.git', 'a/../b', 'Admin', 'con', 'a b', '../../etc/passwd', '-', 'ä'])(
    'keeps the name %j inside its segment',
    (name) => {
      const path = parsePathTemplate('{{ kind }}/{{ name }}.yaml').pathOf({ ...web, name })
      expect(path).toMatch(/^deployment\/[a-z0-9%_A-F-][a-z0-9%_A-F.-]*\.yaml$/)
      expect(path.split('/')).toHaveLength(2)
    },
  )

  test('splits segments that file systems cannot hold', () => {
    const template = parsePathTemplate('{{ resource }}.{{ group }}_{{ name }}.yaml')
    const long = { ...web, group: `${'g'.repeat(240)}.test`, name: 'n'.repeat(253) }
    const path = template.pathOf(long)
    for (const segment of path.split('/')) expect(segment.length).toBeLessThanOrEqual(255)
    expect(template.isPathOf(path, long)).toBe(true)
    expect(template.isPathOf(path, { ...long, name: 'n'.repeat(252) })).toBe(false)
  })

  test.each([
    ['{{ kind }}{{ name }}.yaml', 'kind'],
    ['{{ namespace }}-{{ name }}.yaml', 'namespace'],
    ['{{ name }}.{{ kind }}.yaml', 'name'],
    ['{{ kind }}/{{ group }}.{{ name }}.yaml', 'group'],
    ['{{ resource }}-{{ name }}.yaml', 'resource'],
  ])('%s is ambiguous after the %s', (template, after) => {
    expect(pathTemplateProblem(template)).toContain(`separates {{ ${after} }}`)
  })

  const parts = ['a', 'b', 'a-b', 'a.b', 'a-b-a', 'b.a', 'a_b', 'A', '%61']
  test.each([
    '{{ namespace }}/{{ group }}/{{ resource }}/{{ name }}.yaml',
    '{{ namespace }}.{{ group }}_{{ kind }}-{{ name }}.yaml',
    '{{ name }}@{{ namespace }}.{{ resource }}.{{ group }}_{{ kind }}.yaml',
    '{{ group }}/{{ resource }}.{{ namespace }}~{{ name }}.yaml',
  ])('%s gives each object a path of its own', (template) => {
    expect(pathTemplateProblem(template)).toBeUndefined()
    const { pathOf, isPathOf } = parsePathTemplate(template)
    const seen = new Map<string, string>()
    for (const namespace of ['', 'a', 'b', 'a-b']) {
      for (const group of ['', 'a', 'a.b', 'core', 'a-b.a']) {
        for (const kind of ['a', 'b', 'a-b']) {
          for (const name of parts) {
            const object = { group, kind, resource: kind, namespace, name }
            const path = pathOf(object)
            expect(seen.get(path), path).toBeUndefined()
            seen.set(path, JSON.stringify(object))
            expect(isPathOf(path, object)).toBe(true)
            expect(isPathOf(path, { ...object, name: `${name}x` })).toBe(false)
          }
        }
      }
    }
  })
})
