import { ConfigError, describeConfig, parseConfig } from '@agents/config'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { controlPlane } from './control-plane.ts'
import { controllers } from './controllers.ts'

const database = { DATABASE_URL: 'postgres://db.test/agents' }

const refused = 'refused'

describe('the migrations mode', () => {
  test.each([
    { because: 'not set', raw: undefined, controllersMode: 'skip', controlPlaneMode: 'auto' },
    {
      because: 'empty counts as not set',
      raw: '',
      controllersMode: 'skip',
      controlPlaneMode: 'auto',
    },
    { because: 'skip', raw: 'skip', controllersMode: 'skip', controlPlaneMode: 'skip' },
    {
      because: 'skip in capitals, with white space',
      raw: ' SKIP\n',
      controllersMode: 'skip',
      controlPlaneMode: 'skip',
    },
    { because: 'disabled', raw: 'disabled', controllersMode: 'skip', controlPlaneMode: 'skip' },
    { because: 'false', raw: 'false', controllersMode: 'skip', controlPlaneMode: 'skip' },
    { because: '0', raw: '0', controllersMode: 'skip', controlPlaneMode: 'skip' },
    { because: 'off', raw: 'off', controllersMode: 'skip', controlPlaneMode: 'skip' },
    {
      because: 'auto is for the control plane alone',
      raw: 'auto',
      controllersMode: refused,
      controlPlaneMode: 'auto',
    },
    {
      because: 'true names no mode',
      raw: 'true',
      controllersMode: refused,
      controlPlaneMode: refused,
    },
    {
      because: 'a typing error never migrates',
      raw: 'skpi',
      controllersMode: refused,
      controlPlaneMode: refused,
    },
  ])('$because', ({ raw, controllersMode, controlPlaneMode }) => {
    const env = { ...database, JANGAR_MIGRATIONS: raw }
    expect(modeOrRefusal(() => parseConfig(controllers, env))).toBe(controllersMode)
    expect(modeOrRefusal(() => parseConfig(controlPlane, env))).toBe(controlPlaneMode)
  })

  function modeOrRefusal(parse: () => { migrations: { mode: string } }): string {
    try {
      return parse().migrations.mode
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return refused
    }
  }

  test('controllers told to migrate stop, and say what to do', () => {
    const parse = () => parseConfig(controllers, { JANGAR_MIGRATIONS: 'auto' })
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(/JANGAR_MIGRATIONS is "auto"; expected skip/)
    expect(parse).toThrow(/Remove JANGAR_MIGRATIONS from controllers\.env\.vars, or set it to skip/)
  })

  test('no code of the controllers can ask for a migration', () => {
    const { migrations } = parseConfig(controllers, {})
    expectTypeOf(migrations.mode).toEqualTypeOf<'skip'>()
    expect(migrations.mode).toBe('skip')
  })

  test('the older switch is not ignored', () => {
    const parse = () => parseConfig(controlPlane, { ...database, JANGAR_SKIP_MIGRATIONS: '1' })
    expect(parse).toThrow(/set JANGAR_MIGRATIONS=skip instead/)
  })

  test('the effective mode is visible in the start-up line', () => {
    expect(describeConfig(controllers, parseConfig(controllers, {}))).toMatchObject({
      JANGAR_MIGRATIONS: 'skip',
      DATABASE_URL: 'not set',
    })
    expect(describeConfig(controlPlane, parseConfig(controlPlane, database))).toMatchObject({
      JANGAR_MIGRATIONS: 'auto',
      DATABASE_URL: 'set',
    })
  })
})
