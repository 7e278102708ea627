import { describe, expect, test } from 'vitest'
import { stringFormat } from './formats.ts'

const rows: { format: string; good: string[]; bad: string[] }[] = [
  {
    format: 'date',
    good: ['2024-02-29', '0000-01-01'],
    bad: ['2023-02-29', '2024-13-01', '2024-1-1', ''],
  },
  {
    format: 'date-time',
    good: ['2024-01-01T00:00:00Z', '2024-01-01t23:59:59.123456789+02:00', '2024-01-01T00:00:00z'],
    bad: [
      '2024-01-01',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:00:60Z',
      '2024-02-30T00:00:00Z',
      '2024-01-01T00:00:00',
    ],
  },
  {
    format: 'duration',
    good: ['1h30m', '0', '-1.5s', '3 days', '22 ns', '1w'],
    bad: ['', 'h', '1', 'one day', '99999999999999999999h'],
  },
  {
    format: 'uri',
    good: ['https://example.com/a?b#c', '/absolute', 'mailto:someone', 'http://[::1]:80/'],
    bad: ['relative/path', '', 'http://a b/', 'http://x:port/', ':no-scheme', '/%zz'],
  },
  {
    format: 'email',
    good: ['role@example.com', 'Some Role <role@example.com>', '"quoted role"@example.com'],
    bad: ['role', '@example.com', 'a b@example.com', 'role@'],
  },
  {
    format: 'hostname',
    good: ['example', 'a-b.example.com', 'bücher.example'],
    bad: ['-a', 'a.b.c1', '', 'a..b', `${'a'.repeat(64)}.com`],
  },
  {
    format: 'ipv4',
    good: ['127.0.0.1', '010.000.000.001', '::ffff:1.2.3.4'],
    bad: ['256.0.0.1', '1.2.3', '::1', '1.2.3.4.5'],
  },
  {
    format: 'ipv6',
    good: ['::1', '::', '1:2:3:4:5:6:7:8', '::1.2.3.4'],
    bad: ['127.0.0.1', ':::', '1:2', '::1%eth0', '12345::'],
  },
  {
    format: 'cidr',
    good: ['10.0.0.0/8', '::/0', 'fe80::/128'],
    bad: ['10.0.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/-1'],
  },
  {
    format: 'mac',
    good: ['01:23:45:67:89:ab', '01-23-45-67-89-AB-cd-ef', '0123.4567.89ab'],
    bad: ['01:23:45:67:89', '01:23-45:67:89:ab'],
  },
  {
    format: 'uuid',
    good: ['0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d', '0B6D1F0E6C1A4A539B0E1F6D8A1B2C3D'],
    bad: ['0b6d1f0e'],
  },
  {
    format: 'uuid3',
    good: ['0b6d1f0e-6c1a-3a53-0b0e-1f6d8a1b2c3d'],
    bad: ['0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d'],
  },
  {
    format: 'uuid4',
    good: ['0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d'],
    bad: ['0b6d1f0e-6c1a-4a53-0b0e-1f6d8a1b2c3d'],
  },
  {
    format: 'uuid5',
    good: ['0b6d1f0e-6c1a-5a53-9b0e-1f6d8a1b2c3d'],
    bad: ['0b6d1f0e-6c1a-4a53-9b0e-1f6d8a1b2c3d'],
  },
  { format: 'byte', good: ['aGk=', 'aGkh'], bad: ['', 'aGk', 'aGk-', '===='] },
  { format: 'bsonobjectid', good: ['507f1f77bcf86cd799439011'], bad: ['507f1f77'] },
  { format: 'isbn', good: ['0321751043', '978-0321751041'], bad: ['0321751044', '978-0321751042'] },
  { format: 'isbn10', good: ['0-321-75104-3'], bad: ['978-0321751041'] },
  { format: 'isbn13', good: ['978 0321751041'], bad: ['0321751043'] },
  { format: 'creditcard', good: ['4012-8888-8888-1881'], bad: ['4012888888881882', '1234'] },
  { format: 'ssn', good: ['111-22-3333'], bad: ['111223333', 'abc-de-fghi'] },
  { format: 'hexcolor', good: ['#fff', 'FFFFFF'], bad: ['#ffff', 'red'] },
  { format: 'rgbcolor', good: ['rgb(255, 0,12)'], bad: ['rgb(256,0,0)', 'rgb(1,2)'] },
  { format: 'password', good: ['', 'anything'], bad: [] },
  { format: 'k8s-short-name', good: ['a', '1-b'], bad: ['A', '-a', 'a.b', 'a'.repeat(64)] },
  {
    format: 'k8s-long-name',
    good: ['a.b', `${'a'.repeat(100)}.b`],
    bad: ['a..b', 'A.b', 'a'.repeat(254)],
  },
]

describe('string formats', () => {
  for (const { format, good, bad } of rows) {
    const check = stringFormat(format)
    test.each(good)(`${format} admits %j`, (value) => expect(check?.(value)).toBe(true))
    if (bad.length > 0)
      test.each(bad)(`${format} rejects %j`, (value) => expect(check?.(value)).toBe(false))
  }

  test('dashes in names are ignored, unknown names have no check', () => {
    expect(stringFormat('datetime')).toBe(stringFormat('date-time'))
    expect(stringFormat('color')).toBeUndefined()
    expect(stringFormat('constructor')).toBeUndefined()
  })
})

test('a duration of a mebibyte of digits is read once', () => {
  // Read again from each digit, it takes hours.
  expect(stringFormat('duration')?.('1'.repeat(2 ** 20))).toBe(false)
})
