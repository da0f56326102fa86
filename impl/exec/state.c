/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/state.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "exec/model.h"

#define CANCEL_PERIOD_NS INT64_C(2000000) /* how often a wait looks whether its run was cancelled */

struct gei_state {
    atomic_uint refs;
    const gei_allocator *from;
    gei_usage *account;
    pthread_mutex_t lock;         /* guards what follows; held for moments only, but for `busy` */
    pthread_cond_t idle;
    bool is_busy;                 /* taken: contents belong to who took it */
    GEI_VEC(gei_variable *) vars; /* grows only; in the arena */
    gei_strmap by_name;
    gei_arena arena;
};

struct gei_state_use {
    gei_state *state;
    gei_model *model;
    uint32_t *index;   /* by variable number of the model */
    void **addresses;  /* the same; of the run going on */
};

/* ---- life ---- */

ge_status gei_state_create(const gei_allocator *from, gei_usage *account, gei_state **out, gei_diag *diag) {
    pthread_condattr_t attr;
    gei_state *s = gei_alloc_zero(from, sizeof *s, _Alignof(gei_state));
    *out = s;
    if (!s) return gei_out_of_memory(diag, sizeof *s);
    atomic_init(&s->refs, 1);
    s->from = from;
    s->account = account;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->idle, &attr);
    pthread_condattr_destroy(&attr);
    gei_strmap_init(&s->by_name, from);
    gei_arena_init(&s->arena, from);
    return GE_OK;
}

gei_state *gei_state_retain(gei_state *s) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

static void account(gei_state *s, const gei_tensor *t, bool more) {
    if (s->account && t) (more ? gei_usage_add : gei_usage_sub)(s->account, t->size_bytes);
}

/* Lets go of what the variable holds. */
static void drop(gei_state *s, gei_variable *v) {
    if (v->is_own) account(s, v->tensor, false);
    gei_tensor_release(v->tensor);
    v->tensor = NULL;
    v->is_own = v->has_content = false;
}

void gei_state_release(gei_state *s) {
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    for (size_t i = 0; i < s->vars.count; i++) {
        drop(s, s->vars.items[i]);
        gei_tensor_release(s->vars.items[i]->initial);
    }
    gei_vec_free(s->from, &s->vars);
    gei_strmap_deinit(&s->by_name);
    gei_arena_deinit(&s->arena);
    pthread_cond_destroy(&s->idle);
    pthread_mutex_destroy(&s->lock);
    gei_free(s->from, s, sizeof *s, _Alignof(gei_state));
}

/* ---- taking ---- */

static bool is_cancelled(const gei_run_options *o) { return o && o->cancel && atomic_load_explicit(o->cancel, memory_order_relaxed); }

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Until which a wait may sleep: the deadline, or the next look at the cancel flag; 0: for ever. */
static int64_t wake_at(const gei_run_options *o) {
    int64_t at = o ? o->deadline_ns : 0;
    if (!o || !o->cancel) return at;
    int64_t look = now_ns() + CANCEL_PERIOD_NS;
    return at == 0 || look < at ? look : at;
}

static ge_status wait_idle(gei_state *s, const gei_run_options *o, gei_diag *diag) {
    while (s->is_busy) {
        if (is_cancelled(o)) return gei_fail(diag, GE_ERR_CANCELLED, "the run was cancelled while it waited for its state");
        if (o && o->deadline_ns && now_ns() >= o->deadline_ns)
            return gei_fail(diag, GE_ERR_DEADLINE, "the deadline of the run passed while it waited for its state");
        int64_t at = wake_at(o);
        struct timespec t = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
        if (at == 0) pthread_cond_wait(&s->idle, &s->lock);
        else (void)pthread_cond_timedwait(&s->idle, &s->lock, &t);
    }
    return GE_OK;
}

ge_status gei_state_take(gei_state *s, const gei_run_options *options, gei_diag *diag) {
    pthread_mutex_lock(&s->lock);
    ge_status st = wait_idle(s, options, diag);
    if (st == GE_OK) s->is_busy = true;
    pthread_mutex_unlock(&s->lock);
    return st;
}

void gei_state_give(gei_state *s) {
    pthread_mutex_lock(&s->lock);
    s->is_busy = false;
    pthread_cond_signal(&s->idle);
    pthread_mutex_unlock(&s->lock);
}

/* ---- variables ---- */

gei_variable *gei_state_at(gei_state *s, uint32_t index) {
    pthread_mutex_lock(&s->lock);
    gei_variable *v = index < s->vars.count ? s->vars.items[index] : NULL;
    pthread_mutex_unlock(&s->lock);
    return v;
}

const gei_variable *gei_state_variable(gei_state *s, uint32_t index) { return gei_state_at(s, index); }

uint32_t gei_state_count(gei_state *s) {
    pthread_mutex_lock(&s->lock);
    uint32_t n = (uint32_t)s->vars.count;
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool gei_state_find(gei_state *s, const char *name, size_t name_size, uint32_t *out_index) {
    uint64_t index = 0;
    pthread_mutex_lock(&s->lock);
    bool found = gei_strmap_find(&s->by_name, name, name_size, &index);
    pthread_mutex_unlock(&s->lock);
    *out_index = (uint32_t)index;
    return found;
}

static void to_initial(gei_state *s, gei_variable *v) {
    drop(s, v);
    v->tensor = gei_tensor_retain(v->initial);
    v->has_content = v->initial != NULL;
}

static ge_status check_same(const gei_variable *v, const gei_plan_var *p, gei_diag *diag) {
    if (v->dtype == p->dtype && gei_shape_same(&v->shape, &p->shape)) return GE_OK;
    char found[GEI_DIAG_WORD_BYTES], wanted[GEI_DIAG_WORD_BYTES];
    gei_shape_text(&p->shape, NULL, found, sizeof found);
    gei_shape_text(&v->shape, NULL, wanted, sizeof wanted);
    gei_diag_found(diag, "%s%s", gei_dtype_name(p->dtype), found);
    gei_diag_wanted(diag, "%s%s", gei_dtype_name(v->dtype), wanted);
    return gei_fail(diag, v->dtype == p->dtype ? GE_ERR_SHAPE : GE_ERR_DTYPE, "variable '%s' is %s%s in the model and %s%s in the state", v->name,
                    gei_dtype_name(p->dtype), found, gei_dtype_name(v->dtype), wanted);
}

static ge_status add_one(gei_state *s, const gei_plan_var *p, gei_diag *diag) {
    uint64_t at;
    size_t size = strlen(p->name);
    if (gei_strmap_find(&s->by_name, p->name, size, &at)) { /* the first graph that has first content gives it */
        gei_variable *known = s->vars.items[at];
        if (known->initial || !p->initial) return GE_OK;
        known->initial = gei_tensor_retain(p->initial);
        if (!known->has_content) to_initial(s, known);
        return GE_OK;
    }
    gei_variable *v = gei_arena_new(&s->arena, gei_variable);
    char *name = gei_arena_text(&s->arena, p->name, size);
    if (!v || !name || !gei_vec_reserve(s->from, &s->vars, 1) || !gei_strmap_put(&s->by_name, name, size, s->vars.count))
        return gei_out_of_memory(diag, size);
    *v = (gei_variable){ .name = name, .dtype = p->dtype, .format = p->format, .shape = p->shape, .initial = gei_tensor_retain(p->initial) };
    to_initial(s, v);
    s->vars.items[s->vars.count++] = v;
    return GE_OK;
}

/* Under the lock, the state taken. */
static ge_status add_all(gei_state *s, const gei_plan *plan, gei_diag *diag) {
    size_t before = s->vars.count;
    for (uint32_t i = 0; i < plan->n_vars; i++) {
        uint64_t at;
        if (gei_strmap_find(&s->by_name, plan->vars[i].name, strlen(plan->vars[i].name), &at))
            GEI_TRY(check_same(s->vars.items[at], &plan->vars[i], diag));
    }
    ge_status st = GE_OK;
    for (uint32_t i = 0; i < plan->n_vars && st == GE_OK; i++) st = add_one(s, &plan->vars[i], diag);
    while (st != GE_OK && s->vars.count > before) {
        gei_variable *v = s->vars.items[--s->vars.count];
        drop(s, v);
        gei_tensor_release(v->initial);
        (void)gei_strmap_remove(&s->by_name, v->name, strlen(v->name));
    }
    return st;
}

ge_status gei_state_add_model(gei_state *s, const gei_model *model, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(model);
    GEI_TRY(gei_state_take(s, NULL, diag));
    pthread_mutex_lock(&s->lock);
    ge_status st = add_all(s, plan, diag);
    pthread_mutex_unlock(&s->lock);
    gei_state_give(s);
    return st;
}

ge_status gei_state_own(gei_state *s, gei_variable *v, bool fresh, gei_diag *diag) {
    gei_tensor *made;
    if (v->is_own) return GE_OK;
    GEI_TRY(gei_tensor_create(s->from, v->dtype, v->shape.rank, v->shape.dims, &made, diag));
    if (made->size_bytes > 0 && v->has_content && !fresh) memcpy(made->data, v->tensor->data, made->size_bytes);
    else if (made->size_bytes > 0) memset(made->data, 0, made->size_bytes);
    bool has_content = v->has_content;
    drop(s, v);
    v->tensor = made;
    v->is_own = true;
    v->has_content = has_content;
    account(s, made, true);
    return GE_OK;
}

/* ---- contents ---- */

ge_status gei_state_reset(gei_state *s, gei_diag *diag) {
    GEI_TRY(gei_state_take(s, NULL, diag));
    for (size_t i = 0; i < s->vars.count; i++) to_initial(s, s->vars.items[i]);
    gei_state_give(s);
    return GE_OK;
}

static ge_status copy_one(gei_state *to, const gei_variable *from, gei_diag *diag) {
    gei_plan_var like = { .name = from->name, .dtype = from->dtype, .format = from->format, .shape = from->shape, .initial = from->initial };
    GEI_TRY(add_one(to, &like, diag));
    gei_variable *v = to->vars.items[to->vars.count - 1];
    if (!from->has_content || !from->is_own) return GE_OK; /* as it was made, or still the first content */
    GEI_TRY(gei_state_own(to, v, true, diag));
    if (v->tensor->size_bytes > 0) memcpy(v->tensor->data, from->tensor->data, v->tensor->size_bytes);
    v->has_content = true;
    return GE_OK;
}

ge_status gei_state_copy(gei_state *s, gei_state **out, gei_diag *diag) {
    gei_state *made;
    *out = NULL;
    GEI_TRY(gei_state_create(s->from, s->account, &made, diag));
    ge_status st = gei_state_take(s, NULL, diag);
    if (st == GE_OK) {
        for (size_t i = 0; i < s->vars.count && st == GE_OK; i++) st = copy_one(made, s->vars.items[i], diag);
        gei_state_give(s);
    }
    if (st == GE_OK) *out = made;
    else gei_state_release(made);
    return st;
}

ge_status gei_state_value(gei_state *s, uint32_t index, const gei_allocator *from, gei_tensor **out, gei_diag *diag) {
    *out = NULL;
    GEI_TRY(gei_state_take(s, NULL, diag));
    const gei_variable *v = gei_state_at(s, index);
    ge_status st = v->has_content ? gei_tensor_clone(from, v->tensor, out, diag)
                                  : gei_fail(diag, GE_ERR_NOT_FOUND, "variable '%s' has no content yet", v->name);
    gei_state_give(s);
    return st;
}

static ge_status check_value(const gei_variable *v, const gei_tensor *value, gei_diag *diag) {
    gei_shape shape = gei_tensor_shape(value);
    gei_plan_var like = { .dtype = value->dtype, .shape = shape };
    if (v->dtype == value->dtype && gei_shape_same(&v->shape, &shape)) return GE_OK;
    ge_status st = check_same(v, &like, diag);
    return gei_fail(diag, st, "variable '%s' is %s and %s", v->name, diag->wanted, diag->found);
}

ge_status gei_state_set_value(gei_state *s, uint32_t index, const gei_tensor *value, gei_diag *diag) {
    gei_variable *v = gei_state_at(s, index);
    GEI_TRY(check_value(v, value, diag));
    GEI_TRY(gei_state_take(s, NULL, diag));
    ge_status st = gei_state_own(s, v, true, diag);
    if (st == GE_OK) {
        if (value->size_bytes > 0) memcpy(v->tensor->data, value->data, value->size_bytes);
        v->has_content = true;
    }
    gei_state_give(s);
    return st;
}

/* ---- uses ---- */

static ge_status find_vars(gei_state_use *use, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(use->model);
    for (uint32_t i = 0; i < plan->n_vars; i++) {
        const gei_plan_var *p = &plan->vars[i];
        if (!gei_state_find(use->state, p->name, strlen(p->name), &use->index[i]))
            return gei_fail(diag, GE_ERR_NOT_FOUND, "the state lacks variable '%s' of the model", p->name);
        GEI_TRY(check_same(gei_state_variable(use->state, use->index[i]), p, diag));
    }
    return GE_OK;
}

ge_status gei_state_use_create(gei_state *state, const gei_model *model, gei_state_use **out, gei_diag *diag) {
    uint32_t n = gei_model_plan(model)->n_vars;
    const gei_allocator *from = model->from;
    gei_state_use *use = gei_alloc_zero(from, sizeof *use, _Alignof(gei_state_use));
    *out = NULL;
    if (!use) return gei_out_of_memory(diag, sizeof *use);
    use->state = gei_state_retain(state);
    use->model = gei_model_retain((gei_model *)(uintptr_t)model);
    use->index = gei_alloc_zero(from, n * sizeof *use->index, 0);
    use->addresses = gei_alloc_zero(from, n * sizeof *use->addresses, 0);
    ge_status st = use->index && use->addresses ? find_vars(use, diag) : gei_out_of_memory(diag, n * sizeof *use->addresses);
    if (st == GE_OK) *out = use;
    else gei_state_use_destroy(use);
    return st;
}

ge_status gei_state_use_create_fresh(const gei_model *model, gei_state_use **out, gei_diag *diag) {
    gei_state *state;
    *out = NULL;
    gei_accounts *accounts = model->options.accounts;
    GEI_TRY(gei_state_create(model->from, accounts ? &accounts->variables : NULL, &state, diag));
    ge_status st = gei_state_add_model(state, model, diag);
    if (st == GE_OK) st = gei_state_use_create(state, model, out, diag);
    gei_state_release(state);
    return st;
}

void gei_state_use_destroy(gei_state_use *use) {
    if (!use) return;
    gei_model *model = use->model;
    uint32_t n = gei_model_plan(model)->n_vars;
    gei_free(model->from, use->index, n * sizeof *use->index, 0);
    gei_free(model->from, use->addresses, n * sizeof *use->addresses, 0);
    gei_state_release(use->state);
    gei_free(model->from, use, sizeof *use, _Alignof(gei_state_use));
    gei_model_release(model);
}

static ge_status prepare(gei_state_use *use, gei_diag *diag) {
    const gei_plan *plan = gei_model_plan(use->model);
    for (uint32_t i = 0; i < plan->n_vars; i++) {
        const gei_plan_var *p = &plan->vars[i];
        gei_variable *v = use->state->vars.items[use->index[i]]; /* the list grows only while the state is taken */
        if (p->is_read_first && !v->has_content) return gei_fail(diag, GE_ERR_NOT_BOUND, "variable '%s' is read and has no content yet", v->name);
        if (p->is_written || !v->has_content) GEI_TRY(gei_state_own(use->state, v, false, diag));
        use->addresses[i] = v->tensor->data;
    }
    return GE_OK;
}

ge_status gei_state_use_begin(gei_state_use *use, const gei_run_options *options, void *const **out_addresses, gei_diag *diag) {
    GEI_TRY(gei_state_take(use->state, options, diag));
    ge_status st = prepare(use, diag);
    *out_addresses = use->addresses;
    if (st != GE_OK) gei_state_give(use->state);
    return st;
}

void gei_state_use_end(gei_state_use *use, bool succeeded) {
    const gei_plan *plan = gei_model_plan(use->model);
    for (uint32_t i = 0; i < plan->n_vars && succeeded; i++)
        if (plan->vars[i].is_written) use->state->vars.items[use->index[i]]->has_content = true;
    gei_state_give(use->state);
}
