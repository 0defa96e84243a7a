import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const OUT = path.resolve(root, '../dist/console');

/** The server sends what is compressed here and compresses nothing itself. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    closeBundle() {
      const folder = path.join(OUT, 'assets');
      for (const name of readdirSync(folder)) {
        const content = readFileSync(path.join(folder, name));
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(content, { params }));
        writeFileSync(path.join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
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
      input: path.join(root, 'main.tsx'),
      onwarn: (warning, warn) => {
        // Libraries mark what a server must not render. Nothing is rendered by a server here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
