import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  editTree,
  fileMode,
  findEntries,
  nameBytes,
  noEntries,
  parseTree,
  type Tree,
  treeEntries,
} from './tree.ts'

function oid(digit: string) {
  return digit.repeat(40)
}

function tree(...entries: [name: string, mode: string, oid: string][]): Tree {
  return editTree(noEntries, new Map(entries.map(([name, mode, id]) => [name, { mode, oid: id }])))
}

function names(from: Tree) {
  return [...treeEntries(from)].map(({ name }) => name)
}

describe('a tree', () => {
  test('is ordered as Git orders it: a folder as though a slash ended its name', () => {
    const raw = tree(
      ['a0', fileMode.file, oid('1')],
      ['a', fileMode.directory, oid('2')],
      ['a.b', fileMode.file, oid('3')],
      ['a-b', fileMode.file, oid('4')],
    )
    expect(names(raw)).toEqual(['a-b', 'a.b', 'a', 'a0'])
  })

  test('keeps names that are not UTF-8, and entries that are not edited, byte for byte', () => {
    const odd = Buffer.concat([Buffer.from('100664 \xff\xfe\0', 'latin1'), Buffer.alloc(20, 7)])
    const edited = editTree(
      parseTree(odd),
      new Map([['a', { mode: fileMode.file, oid: oid('1') }]]),
    )
    expect(edited.raw.subarray(edited.raw.length - odd.length)).toEqual(odd)
    expect(editTree(edited, new Map([['a', null]])).raw).toEqual(odd)
  })

  test('loses none of many entries that are shorter than Git itself makes them', () => {
    const entry = (name: string) => Buffer.concat([Buffer.from(`0 ${name}\0`), Buffer.alloc(20, 7)])
    const short = parseTree(Buffer.concat([...'abcdefghij'].map(entry)))
    expect(names(short)).toEqual([...'abcdefghij'])
  })

  test('a file that becomes a folder is sorted as a folder', () => {
    const raw = tree(['a', fileMode.file, oid('1')], ['a.b', fileMode.file, oid('2')])
    const edited = editTree(raw, new Map([['a', { mode: fileMode.directory, oid: oid('3') }]]))
    expect(names(edited)).toEqual(['a.b', 'a'])
  })

  test('an entry is found by its whole name', () => {
    const raw = tree(['ab', fileMode.file, oid('1')], [nameBytes('ž'), fileMode.file, oid('2')])
    expect(findEntries(raw, ['b', 'a', 'abc'])).toEqual(new Map())
    expect(findEntries(raw, [nameBytes('ž')]).get(nameBytes('ž'))).toMatchObject({
      oid: oid('2'),
      mode: fileMode.file,
    })
  })

  test('whatever is edited, the result is what writing it at once would have been', () => {
    const name = fc.string({
      minLength: 1,
      maxLength: 3,
      unit: fc.constantFrom('a', 'b', '.', '-', '0'),
    })
    const entry = fc.record({
      mode: fc.constantFrom<string>(fileMode.file, fileMode.directory, fileMode.symlink),
      oid: fc.constantFrom(oid('1'), oid('2')),
    })
    const edits = fc.array(fc.tuple(name, fc.option(entry)))
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const start = editTree(noEntries, new Map(first))
        const stepwise = editTree(start, new Map(second))
        const atOnce = editTree(noEntries, new Map([...first, ...second]))
        expect(stepwise.raw).toEqual(atOnce.raw)
        expect(stepwise.starts).toEqual(parseTree(atOnce.raw).starts)
      }),
    )
  })
})
