import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../status/api-error.ts'
import { type Body, Widget } from './testing/widget.ts'

function spec(fields: Body): Body {
  return { spec: fields }
}

function refusal(action: () => unknown): ApiError {
  try {
    action()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('an applier', () => {
  const rows: readonly {
    because: string
    run(widget: Widget): void
    spec: Json
    owners: string[]
  }[] = [
    {
      because: 'creates an object and owns the fields that it sets, not their parents',
      run: (widget) => widget.apply('one', spec({ title: 'x', tags: ['t'], config: { k: 'v' } })),
      spec: { title: 'x', tags: ['t'], config: { k: 'v' } },
      owners: ['one Apply: .spec.title .spec.config.k .spec.tags[="t"]'],
    },
    {
      because: 'shares a field with another applier of the same value',
      run(widget) {
        widget.apply('one', spec({ title: 'x' }))
        widget.apply('two', spec({ title: 'x' }))
      },
      spec: { title: 'x' },
      owners: ['two Apply: .spec.title', 'one Apply: .spec.title'],
    },
    {
      because: 'removes fields that it no longer applies and no other manager owns',
      run(widget) {
        widget.apply('one', spec({ title: 'x', tags: ['a', 'b'], config: { k: 'v' } }))
        widget.apply('two', spec({ tags: ['b'] }))
        widget.apply('one', spec({ title: 'x' }))
      },
      spec: { title: 'x', tags: ['b'] },
      owners: ['one Apply: .spec.title', 'two Apply: .spec.tags[="b"]'],
    },
    {
      because: 'takes over a field with force, and the others lose it',
      run(widget) {
        widget.apply('one', spec({ title: 'x', replicas: 1 }))
        widget.update('two', spec({ title: 'x', replicas: 1, words: ['w'] }))
        widget.apply('three', spec({ title: 'y', words: ['v'] }), true)
      },
      spec: { title: 'y', replicas: 1, words: ['v'] },
      owners: ['one Apply: .spec.replicas', 'three Apply: .spec.title .spec.words'],
    },
    {
      because: 'owns lists and maps that are atomic as a whole',
      run: (widget) =>
        widget.apply('one', spec({ whole: { a: 'x' }, words: ['w'], free: { a: { b: [1] } } })),
      spec: { whole: { a: 'x' }, words: ['w'], free: { a: { b: [1] } } },
      owners: ['one Apply: .spec.whole .spec.words .spec.free.a .spec.free.a.b'],
    },
    {
      because: 'finds items by their keys, with defaults for missing keys',
      run(widget) {
        widget.apply('one', spec({ ports: [{ port: 1 }] }))
        widget.apply(
          'two',
          spec({
            ports: [
              { port: 1, protocol: 'TCP', name: 'n' },
              { port: 1, protocol: 'UDP' },
            ],
          }),
        )
      },
      spec: {
        ports: [
          { port: 1, protocol: 'TCP', name: 'n' },
          { port: 1, protocol: 'UDP' },
        ],
      },
      owners: [
        'one Apply: .spec.ports[port=1,protocol="TCP"] .spec.ports[port=1,protocol="TCP"].port',
        'two Apply: .spec.ports[port=1,protocol="TCP"] .spec.ports[port=1,protocol="UDP"] .spec.ports[port=1,protocol="TCP"].name .spec.ports[port=1,protocol="TCP"].port .spec.ports[port=1,protocol="TCP"].protocol .spec.ports[port=1,protocol="UDP"].port .spec.ports[port=1,protocol="UDP"].protocol',
      ],
    },
    {
      because: 'does not own fields that the write resets',
      run: (widget) => widget.apply('one', { ...spec({ title: 'x' }), status: { phase: 'p' } }),
      spec: { title: 'x' },
      owners: ['one Apply: .spec.title'],
    },
    {
      because: 'never owns names and fields that the server sets',
      run: (widget) =>
        widget.apply('one', { metadata: { uid: 'u', resourceVersion: '1', labels: { a: 'x' } } }),
      spec: null,
      owners: ['one Apply: .metadata.labels.a'],
    },
  ]
  test.each(rows)('$because', ({ run, spec: expected, owners }) => {
    const widget = new Widget()
    run(widget)
    expect(widget.spec).toEqual(expected)
    expect(widget.owners.toSorted()).toEqual(owners.toSorted())
  })

  test('does not change anything, including the time, if it applies the same again', () => {
    const widget = new Widget()
    const first = widget.apply('one', spec({ title: 'x', tags: ['a'] }))
    widget.now = new Date('2031-01-01T00:00:00Z')
    const second = widget.apply('one', spec({ title: 'x', tags: ['a'] }))
    expect(second.metadata.managedFields).toEqual(first.metadata.managedFields)
    expect(second.spec).toEqual(first.spec)
  })

  test('does not remove fields without an owner, such as defaults', () => {
    const widget = new Widget()
    const { metadata, ...rest } = widget.apply('one', spec({ title: 'x', ports: [{ port: 1 }] }))
    const defaulted = { title: 'x', ports: [{ port: 1, protocol: 'TCP' }], words: ['w'] }
    widget.live = { ...rest, metadata, spec: defaulted }
    widget.apply('one', spec({ ports: [{ port: 1 }] }))
    expect(widget.spec).toEqual({ ports: [{ port: 1, protocol: 'TCP' }], words: ['w'] })
  })

  test('is a separate manager for each subresource', () => {
    const widget = new Widget()
    widget.apply('one', spec({ title: 'x' }))
    widget.applyStatus('one', { phase: 'p' })
    expect(widget.owners).toEqual(['one Apply: .spec.title', 'one Apply/status: .status.phase'])
  })
})

describe('a conflict', () => {
  test('reports the field and its owner', () => {
    const widget = new Widget()
    widget.update('kubectl-edit', spec({ replicas: 1 }))
    const error = refusal(() => widget.apply('one', spec({ replicas: 2 })))
    expect(error.code).toBe(409)
    expect(error.reason).toBe('Conflict')
    expect(error.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using example.dev/v1: .spec.replicas',
    )
    expect(error.details).toEqual({
      causes: [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "kubectl-edit" using example.dev/v1',
          field: '.spec.replicas',
        },
      ],
    })
  })

  test('lists several fields by owner', () => {
    const widget = new Widget()
    widget.apply('one', spec({ title: 'x', ports: [{ port: 1, name: 'n' }] }))
    widget.updateStatus('kubelet', { phase: 'p' })
    const error = refusal(() =>
      widget.apply('two', spec({ title: 'y', ports: [{ port: 1, name: 'm' }] })),
    )
    expect(error.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.title\n- .spec.ports[port=1,protocol="TCP"].name',
    )
    expect(refusal(() => widget.applyStatus('two', { phase: 'q' })).message).toBe(
      'Apply failed with 1 conflict: conflict with "kubelet" with subresource "status" using example.dev/v1: .status.phase',
    )
  })

  test('is not reported to kubectl for fields that client-side apply has set', () => {
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const lastApplied = {
      apiVersion: 'example.dev/v1',
      kind: 'Widget',
      spec: { title: 'x', replicas: 1 },
    }
    const metadata = { annotations: { [annotation]: JSON.stringify(lastApplied) } }
    const widget = new Widget()
    widget.update('kubectl-client-side-apply', { ...spec({ title: 'x', replicas: 1 }), metadata })
    expect(refusal(() => widget.apply('other', spec({ title: 'y' }))).code).toBe(409)
    const applied = widget.apply('kubectl', spec({ title: 'y', replicas: 1 }))
    expect(applied.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"replicas":1,"title":"y"}}\n',
    )
    widget.update('editor', {
      ...spec({ title: 'z', replicas: 1 }),
      metadata: { annotations: applied.metadata.annotations ?? {} },
    })
    expect(
      refusal(() => widget.apply('kubectl', spec({ title: 'y', replicas: 1 }))).message,
    ).toContain('"editor"')
  })
})

describe('an apply is rejected', () => {
  const typed = 'failed to create typed patch object (/w; example.dev/v1, Kind=Widget): '
  const rows: readonly { because: string; body: Body; code: number; message: string }[] = [
    {
      because: 'another kind',
      body: { kind: 'Gizmo' },
      code: 400,
      message: 'invalid object type: example.dev/v1, Kind=Gizmo',
    },
    {
      because: 'no version',
      body: { apiVersion: '' },
      code: 400,
      message: 'invalid object type: /, Kind=Widget',
    },
    {
      because: 'managedFields',
      body: { metadata: { managedFields: [] } },
      code: 400,
      message: 'metadata.managedFields must be nil',
    },
    {
      because: 'an unknown field',
      body: spec({ nope: 1 }),
      code: 500,
      message: `${typed}.spec.nope: field not declared in schema`,
    },
    {
      because: 'duplicate items',
      body: spec({ tags: ['a', 'a'] }),
      code: 500,
      message: `${typed}.spec.tags: duplicate entries for key [="a"]`,
    },
    {
      because: 'an item without key',
      body: spec({ ports: [null] }),
      code: 500,
      message: `${typed}.spec.ports: element 0: associative list with keys may not have a null element`,
    },
    {
      because: 'several wrong types',
      body: spec({ title: 1, replicas: 'x' }),
      code: 500,
      message: `${typed}errors:\n  .spec.title: expected string, got &value.valueUnstructured{Value:1}\n  .spec.replicas: expected numeric (int or float), got string`,
    },
  ]
  test.each(rows)('for $because', ({ body, code, message }) => {
    const error = refusal(() => new Widget().apply('one', body))
    expect({ code: error.code, message: error.message }).toEqual({ code, message })
  })
})

test('an object that does not match its kind is rejected with the message of the decoder', () => {
  const widget = new Widget()
  widget.prune = () => {
    throw new TypeError('cannot convert float64 to int32')
  }
  const error = refusal(() => widget.apply('one', spec({ replicas: 1.5 })))
  expect({ code: error.code, message: error.message }).toEqual({
    code: 500,
    message:
      'failed to convert new object (/w; example.dev/v1, Kind=Widget) to proper version: unable to convert unstructured object to example.dev/v1, Kind=Widget: cannot convert float64 to int32',
  })
})
