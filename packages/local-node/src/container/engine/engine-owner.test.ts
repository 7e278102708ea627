import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { engineLabels } from './engine-owner.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-owner-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the labels of a folder are stable', async () => {
  const folder = await newFolder()
  expect(await engineLabels(folder, 'boot')).toEqual(await engineLabels(folder, 'boot'))
})

test('a moved folder has the same name label and another place label', async () => {
  const folder = await newFolder()
  const [name, place] = await engineLabels(folder, 'boot')
  await rename(folder, `${folder}-moved`)
  onTestFinished(() => rm(`${folder}-moved`, { recursive: true, force: true }))
  const [nameThere, placeThere] = await engineLabels(`${folder}-moved`, 'boot')
  expect(nameThere).toBe(name)
  expect(placeThere).not.toBe(place)
})

test('another folder at the same path has another name label', async () => {
  const folder = await newFolder()
  const [name, place] = await engineLabels(folder, 'boot')
  await rm(join(folder, 'node-id'))
  const [nameThen, placeThen] = await engineLabels(folder, 'boot')
  expect(nameThen).not.toBe(name)
  expect(placeThen).toBe(place)
})

test('the same path on another machine has another place label', async () => {
  const folder = await newFolder()
  const [, place] = await engineLabels(folder, 'boot')
  const [, elsewhere] = await engineLabels(folder, 'other')
  expect(elsewhere).not.toBe(place)
})
