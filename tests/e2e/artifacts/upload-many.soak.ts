import { testManyUploads } from './upload-many.ts'

testManyUploads(10_000)
