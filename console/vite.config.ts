import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const OUT = path.resolve(root, '../dist/console');

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

async function compress(file: string): Promise<void> {
  const content = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const [br, gz] = await Promise.all([brotli(content, { params }), gzipped(content, { level: 9 })]);
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
}

/** The server sends what is compressed here and compresses nothing itself. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    async closeBundle() {
      const folder = path.join(OUT, 'assets');
      await Promise.all(readdirSync(folder).map((name) => compress(path.join(folder, name))));
    },
  };
}

export default defineConfig({
  root,
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  clearScreen: false,
  plugins: [compressed()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2023',
    cssCodeSplit: false,
    // A polyfill would be an inline script for a feature that every supported browser has.
    modulePreload: { polyfill: false },
    // An inlined asset would be a data: URL, which the page's policy refuses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: path.join(root, 'main.tsx'),
      onwarn: (warning, warn) => {
        // Libraries mark what a server must not render. Nothing is rendered by a server here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
