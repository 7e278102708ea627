import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  editTree,
  findEntries,
  MODE,
  NO_ENTRIES,
  nameBytes,
  parseTree,
  type Tree,
  treeEntries,
} from './tree.ts'

const oid = (digit: string) => digit.repeat(40)

const tree = (...entries: [name: string, mode: string, oid: string][]): Tree =>
  editTree(NO_ENTRIES, new Map(entries.map(([name, mode, id]) => [name, { mode, oid: id }])))

const names = (from: Tree) => [...treeEntries(from)].map(({ name }) => name)

describe('a tree', () => {
  test('is ordered as Git orders it: a folder as though a slash ended its name', () => {
    const raw = tree(
      ['a0', MODE.file, oid('1')],
      ['a', MODE.directory, oid('2')],
      ['a.b', MODE.file, oid('3')],
      ['a-b', MODE.file, oid('4')],
    )
    expect(names(raw)).toEqual(['a-b', 'a.b', 'a', 'a0'])
  })

  test('keeps names that are not UTF-8, and entries that nobody named, byte for byte', () => {
    const odd = Buffer.concat([Buffer.from('100664 \xff\xfe\0', 'latin1'), Buffer.alloc(20, 7)])
    const edited = editTree(parseTree(odd), new Map([['a', { mode: MODE.file, oid: oid('1') }]]))
    expect(edited.raw.subarray(edited.raw.length - odd.length)).toEqual(odd)
    expect(editTree(edited, new Map([['a', null]])).raw).toEqual(odd)
  })

  test('loses none of many entries that are shorter than Git itself makes them', () => {
    const entry = (name: string) => Buffer.concat([Buffer.from(`0 ${name}\0`), Buffer.alloc(20, 7)])
    const short = parseTree(Buffer.concat([...'abcdefghij'].map(entry)))
    expect(names(short)).toEqual([...'abcdefghij'])
  })

  test('a file becomes a folder at the folder’s place', () => {
    const raw = tree(['a', MODE.file, oid('1')], ['a.b', MODE.file, oid('2')])
    const edited = editTree(raw, new Map([['a', { mode: MODE.directory, oid: oid('3') }]]))
    expect(names(edited)).toEqual(['a.b', 'a'])
  })

  test('an entry is found by its whole name', () => {
    const raw = tree(['ab', MODE.file, oid('1')], [nameBytes('ž'), MODE.file, oid('2')])
    expect(findEntries(raw, ['b', 'a', 'abc'])).toEqual(new Map())
    expect(findEntries(raw, [nameBytes('ž')]).get(nameBytes('ž'))).toMatchObject({
      oid: oid('2'),
      mode: MODE.file,
    })
  })

  test('whatever is edited, the result is what writing it at once would have been', () => {
    const name = fc.string({
      minLength: 1,
      maxLength: 3,
      unit: fc.constantFrom('a', 'b', '.', '-', '0'),
    })
    const entry = fc.record({
      mode: fc.constantFrom<string>(MODE.file, MODE.directory, MODE.symlink),
      oid: fc.constantFrom(oid('1'), oid('2')),
    })
    const edits = fc.array(fc.tuple(name, fc.option(entry)))
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const start = editTree(NO_ENTRIES, new Map(first))
        const stepwise = editTree(start, new Map(second))
        const atOnce = editTree(NO_ENTRIES, new Map([...first, ...second]))
        expect(stepwise.raw).toEqual(atOnce.raw)
        expect(stepwise.starts).toEqual(parseTree(atOnce.raw).starts)
      }),
    )
  })
})
