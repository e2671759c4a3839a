// An object file becomes one piece of code that runs wherever it is mapped: the sections that are
// loaded, one after the other, with the references between them filled in. They are relative to
// the instruction, so nothing needs to be done when the piece is mapped; a reference to anything
// else (a function of libc or of the compiler's library) refuses the piece.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/jit/emit.h"

enum { MAX_SECTIONS = 64, MAX_CODE = 16 << 20 };

typedef struct object {
  const uint8_t *bytes;
  size_t size;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  uint32_t n;
  size_t place[MAX_SECTIONS]; // in the piece; SIZE_MAX: not loaded
} object;

static const char *open_object(object *o) {
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)o->bytes;
  if (o->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) return "no ELF file";
  if (h->e_machine != EM_X86_64 || h->e_shentsize != sizeof(Elf64_Shdr)) return "another machine";
  if (h->e_shnum == 0 || h->e_shnum > MAX_SECTIONS || h->e_shoff > o->size ||
      (o->size - h->e_shoff) / sizeof(Elf64_Shdr) < h->e_shnum)
    return "sections";
  o->header = h;
  o->sections = (const Elf64_Shdr *)(const void *)(o->bytes + h->e_shoff);
  o->n = h->e_shnum;
  for (uint32_t i = 0; i < o->n; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    if (s->sh_type != SHT_NOBITS && (s->sh_offset > o->size || o->size - s->sh_offset < s->sh_size))
      return "a section outside of the file";
  }
  return NULL;
}

// Loaded sections at their places; their whole size.
static const char *place_sections(object *o, size_t *out_size) {
  size_t size = 0;
  for (uint32_t i = 0; i < o->n; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    o->place[i] = SIZE_MAX;
    if (!(s->sh_flags & SHF_ALLOC) || s->sh_size == 0) continue;
    if (s->sh_type != SHT_PROGBITS || (s->sh_flags & SHF_WRITE)) return "a section of data";
    if (s->sh_size > MAX_CODE || s->sh_addralign > 4096) return "a section too large";
    size = tl_round_up(size, s->sh_addralign ? s->sh_addralign : 1);
    o->place[i] = size;
    size += s->sh_size;
  }
  *out_size = size;
  return size <= MAX_CODE ? NULL : "too large";
}

static const Elf64_Sym *symbol_at(const object *o, const Elf64_Shdr *table, size_t i) {
  if (table->sh_type != SHT_SYMTAB || i >= table->sh_size / sizeof(Elf64_Sym)) return NULL;
  return (const Elf64_Sym *)(const void *)(o->bytes + table->sh_offset) + i;
}

static const char *symbol_name(const object *o, const Elf64_Shdr *table, const Elf64_Sym *y) {
  if (table->sh_link >= o->n) return "?";
  const Elf64_Shdr *names = &o->sections[table->sh_link];
  if (y->st_name >= names->sh_size) return "?";
  const char *name = (const char *)o->bytes + names->sh_offset + y->st_name;
  return memchr(name, 0, names->sh_size - y->st_name) ? name : "?";
}

static bool relocate(const object *o, const Elf64_Shdr *s, uint8_t *code, char *why,
                     size_t why_size) {
  if (s->sh_info >= o->n || s->sh_link >= o->n || o->place[s->sh_info] == SIZE_MAX) return true;
  const Elf64_Rela *all = (const Elf64_Rela *)(const void *)(o->bytes + s->sh_offset);
  const Elf64_Shdr *target = &o->sections[s->sh_info], *table = &o->sections[s->sh_link];
  for (size_t k = 0; k < s->sh_size / sizeof *all; k++) {
    const Elf64_Rela *r = &all[k];
    const uint32_t type = ELF64_R_TYPE(r->r_info);
    const Elf64_Sym *y = symbol_at(o, table, ELF64_R_SYM(r->r_info));
    if (!y || y->st_shndx >= o->n || o->place[y->st_shndx] == SIZE_MAX) {
      snprintf(why, why_size, "needs %s", y ? symbol_name(o, table, y) : "a symbol");
      return false;
    }
    if ((type != R_X86_64_PC32 && type != R_X86_64_PLT32) || target->sh_size < 4 ||
        r->r_offset > target->sh_size - 4) {
      snprintf(why, why_size, "a relocation of type %u", type);
      return false;
    }
    const size_t at = o->place[s->sh_info] + r->r_offset;
    const int64_t by = (int64_t)(o->place[y->st_shndx] + y->st_value) + r->r_addend - (int64_t)at;
    const int32_t by32 = (int32_t)by;
    memcpy(code + at, &by32, 4);
  }
  return true;
}

bool object_to_code(const uint8_t *bytes, size_t size, jit_compiled *out, char *why,
                    size_t why_size) {
  object o = {.bytes = bytes, .size = size};
  size_t code_size = 0;
  const char *bad = open_object(&o);
  if (!bad) bad = place_sections(&o, &code_size);
  if (bad) {
    snprintf(why, why_size, "object: %s", bad);
    return false;
  }
  uint8_t *code = calloc(1, code_size + 1);
  if (!code) {
    snprintf(why, why_size, "out of memory");
    return false;
  }
  size_t entry = SIZE_MAX;
  for (uint32_t i = 0; i < o.n; i++) {
    const Elf64_Shdr *s = &o.sections[i];
    if (o.place[i] != SIZE_MAX) memcpy(code + o.place[i], bytes + s->sh_offset, s->sh_size);
    for (size_t k = 0; s->sh_type == SHT_SYMTAB && k < s->sh_size / sizeof(Elf64_Sym); k++) {
      const Elf64_Sym *y = symbol_at(&o, s, k);
      if (ELF64_ST_TYPE(y->st_info) == STT_FUNC && ELF64_ST_BIND(y->st_info) == STB_GLOBAL &&
          y->st_shndx < o.n && o.place[y->st_shndx] != SIZE_MAX)
        entry = o.place[y->st_shndx] + y->st_value;
    }
  }
  for (uint32_t i = 0; i < o.n; i++)
    if (o.sections[i].sh_type == SHT_RELA && !relocate(&o, &o.sections[i], code, why, why_size)) {
      free(code);
      return false;
    }
  if (entry >= code_size) {
    snprintf(why, why_size, "object: no function");
    free(code);
    return false;
  }
  *out = (jit_compiled){code, code_size, entry};
  return true;
}
