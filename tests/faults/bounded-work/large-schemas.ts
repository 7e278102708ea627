import type { Random } from '../fuzz/random.ts'
import {
  definitions,
  keys,
  type LargeRequest,
  list,
  type Make,
  send,
  validation,
} from './large-request.ts'

/** Definitions of custom resources with large schemas. */
export const schemas: readonly Make[] = [
  (n, random) =>
    definition(
      random,
      keys(n / 2, () => ({ type: 'string' })),
    ),
  (n, random) =>
    definition(
      random,
      keys(n / 5, (at) => ({
        ...{ type: 'string', maxLength: 9, pattern: `^(a+)+${at}$` },
        'x-kubernetes-validations': [{ rule: `self.matches('(a|b)*c') && size(self) < ${at}` }],
      })),
    ),
  (n, random) => definition(random, { a: { type: 'string', enum: list(n, (at) => `e${at}`) } }),
  (n, random) =>
    definition(random, { a: { type: 'string', pattern: '(a|b)*[^c]{2,9}'.repeat(n) } }),
  (n, random) => definition(random, { a: { type: 'string', default: 'x'.repeat(n) } }),
  (n, random) => {
    const rule = random.pick(['true || ', '[1,2].all(x, x > 0) && ', '((', 'self.', '"x" + ', '!'])
    const rules = [{ rule: `${rule.repeat(n)}true` }]
    return definition(random, { a: { type: 'boolean', 'x-kubernetes-validations': rules } })
  },
  (n, random) =>
    definition(
      random,
      {},
      {
        additionalPrinterColumns: list(n / 4, (at) => ({
          ...{ name: `c${at}`, type: 'string', jsonPath: `.spec.a[?(@.b=="${at}")].c` },
        })),
      },
    ),
]

function definition(random: Random, properties: object, version: object = {}): LargeRequest {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties } } }
  return send(`${definitions}?dryRun=All&fieldValidation=${validation(random)}`, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'larges.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'larges', kind: 'Large' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...version,
        },
      ],
    },
  })
}
