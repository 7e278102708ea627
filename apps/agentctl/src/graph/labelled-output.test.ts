import { expect, test } from 'vitest'
import { createStyle } from '../cli/style.ts'
import { labelledOutput } from './labelled-output.ts'

function collect() {
  const written: string[] = []
  const stdout = {
    write: (text: string) => void written.push(text),
    pour: () => Promise.resolve(),
    style: createStyle(false),
  }
  return { written, stdout }
}

test('lines of two programs are not mixed', async () => {
  const { written, stdout } = collect()
  const [a, b] = [labelledOutput(stdout, 'a'), labelledOutput(stdout, 'b')]
  await a.pour(Buffer.from('one, '))
  await b.pour(Buffer.from('two\nthree'))
  await a.pour(Buffer.from('four\n'))
  b.end()
  b.end()
  expect(written).toEqual(['b  two\n', 'a  one, four\n', 'b  three\n'])
})

test('a character may be divided', async () => {
  const { written, stdout } = collect()
  const output = labelledOutput(stdout, 'a')
  const bytes = Buffer.from('ü\n')
  await output.pour(bytes.subarray(0, 1))
  await output.pour(bytes.subarray(1))
  expect(written).toEqual(['a  ü\n'])
})

test('a program cannot overwrite a label, or hide lines', async () => {
  const { written, stdout } = collect()
  await labelledOutput(stdout, 'a').pour(Buffer.from('x\rmerge  done\u001b[8m\n'))
  expect(written).toEqual(['a  xmerge  done\n'])
})

test('a line without an end is broken', async () => {
  const { written, stdout } = collect()
  await labelledOutput(stdout, 'a').pour(Buffer.alloc(200_000, 'x'))
  expect(written).toHaveLength(3)
})
