import { describe, expect, test } from 'vitest'
import type { Fields } from '../fields.ts'
import { readBuiltinTables } from '../schema/tables.ts'
import { createGoShapes } from './shape.ts'

const shapes = createGoShapes(readBuiltinTables())

function shaped(id: string, object: Fields): Fields {
  shapes.shape(id, object)
  return object
}

describe('what Go writes', () => {
  test.each([
    {
      because: 'null is removed',
      id: 'core.v1.ConfigMap',
      given: { data: null, immutable: null },
      expected: { metadata: {} },
    },
    {
      because: 'null in a map is the empty text',
      id: 'core.v1.ConfigMap',
      given: { data: { a: null } },
      expected: { metadata: {}, data: { a: '' } },
    },
    {
      because: 'an empty map is omitted',
      id: 'core.v1.ConfigMap',
      given: { data: {}, binaryData: {} },
      expected: { metadata: {} },
    },
    {
      because: 'false behind a pointer is a value',
      id: 'core.v1.ConfigMap',
      given: { immutable: false },
      expected: { metadata: {}, immutable: false },
    },
    {
      because: 'false without a pointer is omitted',
      id: 'core.v1.PodSpec',
      given: { hostNetwork: false, containers: [] },
      expected: { containers: null },
    },
    {
      because: 'structs are written even when they are empty',
      id: 'apps.v1.Deployment',
      given: {},
      expected: {
        metadata: {},
        spec: {
          selector: null,
          strategy: {},
          template: { metadata: {}, spec: { containers: null } },
        },
        status: {},
      },
    },
    {
      because: 'a missing time without a pointer is null',
      id: 'core.v1.PodCondition',
      given: { type: 'Ready', status: 'True' },
      expected: { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null },
    },
    {
      because: 'times are UTC and without fractions',
      id: 'core.v1.PodCondition',
      given: { type: 'a', status: 'b', lastProbeTime: '2026-02-03T04:05:06.789+02:00' },
      expected: {
        type: 'a',
        status: 'b',
        lastProbeTime: '2026-02-03T02:05:06Z',
        lastTransitionTime: null,
      },
    },
    {
      because: 'quantities are canonical',
      id: 'core.v1.ResourceRequirements',
      given: { limits: { cpu: '1500m', memory: '1024Mi' }, requests: { cpu: 0.5, memory: '1000' } },
      expected: {
        limits: { cpu: '1500m', memory: '1Gi' },
        requests: { cpu: '500m', memory: '1k' },
      },
    },
    {
      because: 'an empty list of managedFields is kept',
      id: 'meta.v1.ObjectMeta',
      given: { managedFields: [], finalizers: [] },
      expected: { managedFields: [] },
    },
    {
      because: 'free-form values are kept',
      id: 'apps.v1.ControllerRevision',
      given: { revision: 1, data: { a: null, b: [] } },
      expected: { metadata: {}, revision: 1, data: { a: null, b: [] } },
    },
  ])('$because', ({ id, given, expected }) => {
    const once = shaped(id, structuredClone(given))
    expect(once).toEqual(expected)
    expect(shaped(id, structuredClone(once))).toEqual(once)
  })
})

describe('unknown fields', () => {
  test('are dropped and named by their path', () => {
    const pod = {
      spec: { volumes: [{ name: 'v', foo: 1, configMap: { bar: 1 } }], containers: [], x: 1 },
      y: 1,
    }
    expect(shapes.shape('core.v1.Pod', pod)).toEqual([
      'spec.volumes[0].foo',
      'spec.volumes[0].configMap.bar',
      'spec.x',
      'y',
    ])
    expect(pod.spec).toEqual({ containers: null, volumes: [{ name: 'v', configMap: {} }] })
  })
})

describe('wrong types', () => {
  const pod = (container: object): Fields => ({ spec: { containers: [container] } })
  test.each([
    {
      because: 'the error has the struct and the path of the field',
      id: 'core.v1.Pod',
      given: pod({ image: 3 }),
      message:
        'json: cannot unmarshal number into Go struct field Container.spec.containers.image of type string',
    },
    {
      because: 'embedded structs are part of the path',
      id: 'core.v1.Pod',
      given: pod({ livenessProbe: { httpGet: { port: true } } }),
      message:
        'json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
    },
    {
      because: 'named types have their name',
      id: 'core.v1.Pod',
      given: { spec: { restartPolicy: 1 } },
      message:
        'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    },
    {
      because: 'a number that does not fit is quoted',
      id: 'core.v1.Pod',
      given: { spec: { priority: 3_000_000_000 } },
      message:
        'json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32',
    },
    {
      because: 'a list is not an object',
      id: 'core.v1.ConfigMap',
      given: { data: [] },
      message:
        'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    },
    {
      because: 'bytes are base64',
      id: 'core.v1.Secret',
      given: { data: { a: 'abc' } },
      message: 'illegal base64 data at input byte 0',
    },
    {
      because: 'the error has the position of the first invalid character',
      id: 'core.v1.Secret',
      given: { data: { a: 'YW!j' } },
      message: 'illegal base64 data at input byte 2',
    },
    {
      because: 'micro times need all six digits',
      id: 'coordination.v1.Lease',
      given: { spec: { renewTime: '2026-01-01T00:00:00Z' } },
      message:
        'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    },
  ])('$because', ({ id, given, message }) => {
    expect(() => shapes.shape(id, given)).toThrow(new TypeError(message))
  })
})
